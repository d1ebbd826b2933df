import { randomUUID } from "node:crypto";
import { type BuiltService, buildService } from "@lango/chassis";
import {
	authUserDeleted,
	authUserDisabled,
	authUserUpdated,
	type EventType,
	outletChanged,
	type PublicTenant,
	tenantCreated,
	tenantDeleted,
	tenantSuspended,
	tenantUpdated,
} from "@lango/contracts";
import { natsTransport, type Transport } from "@lango/events";
import { acrossTenants } from "@lango/postgres";
import {
	createTestDatabase,
	hasBus,
	startTestBus,
	startTestIssuer,
	startTestSubscriptions,
	testEvent,
	testSubscription,
	testTenant,
} from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hospital } from "../src/service.ts";
import { openWard, type Ward } from "./ward.ts";

/**
 * An effect passes the bus, a consumer, the database and every replica within a second. A busy machine takes
 * longer, but no cache expires so soon.
 */
const pushed = { timeout: 10_000, interval: 10 };
const me = (tenant: { slug: string }) => `/api/v1/${tenant.slug}/hospital/auth/me`;
const config = (tenant: { slug: string }) => `/api/v1/${tenant.slug}/hospital/config`;

/** Publishes an event as the sign-on service would. */
const publish = (transport: Transport, type: EventType, event: Parameters<typeof testEvent>[1]) =>
	transport.publish(testEvent(type, event));

type TenantNews = { tenant: PublicTenant; version: number; previousSlug?: string };

const publishTenant = (
	transport: Transport,
	what: typeof tenantCreated | typeof tenantUpdated,
	{ tenant, version, previousSlug }: TenantNews,
) => {
	const { id, ...rest } = tenant;
	const data = { ...rest, tenant_id: id, use_case: null, org_size: null, version };
	const content = { ...data, ...(previousSlug !== undefined && { previous_slug: previousSlug }) };
	return publish(transport, what, { subject: id, tenant, data: content });
};
const briefly = (
	transport: Transport,
	what: typeof tenantSuspended | typeof tenantDeleted,
	{ tenant, version }: { tenant: PublicTenant; version: number },
) =>
	publish(transport, what, {
		subject: tenant.id,
		tenant,
		data: { tenant_id: tenant.id, slug: tenant.slug, version },
	});
const publishPerson = (
	transport: Transport,
	{ tenant, sub, ...more }: { tenant: PublicTenant; sub: string; roles: string[]; version: number },
) =>
	publish(transport, authUserUpdated, {
		subject: sub,
		tenant,
		data: {
			...{ user_id: sub, email: `${sub}@uhai.example`, name: "Asha Wanjiru", status: "active" },
			...{ email_verified: true, is_hq: false, outlet_ids: [], ...more },
		},
	});

describe("events of the sign-on service", () => {
	let ward: Ward;
	let other: BuiltService;
	beforeAll(async () => {
		ward = await openWard();
		other = await ward.replica();
	});
	afterAll(() => ward.close());

	const rows = (text: string, values: unknown[] = []) =>
		acrossTenants(ward.database.db, (tx) => tx.query(text, values));
	const asked = () => [...ward.issuer.asked].filter(([path]) => path.includes("/tenants/"));
	const newTenant = async (name: string) => {
		const tenant = testTenant(`${name}-${randomUUID().slice(0, 6)}`);
		ward.subscriptions.records.set(tenant.id, testSubscription(tenant.id));
		await publishTenant(ward.transport, tenantCreated, { tenant, version: 1 });
		await expect
			.poll(() => rows("select slug from tenants where id = $1", [tenant.id]))
			.toEqual([{ slug: tenant.slug }]);
		return tenant;
	};
	const statusOf = async (request: Parameters<Ward["call"]>[0]) => (await ward.call(request)).status;

	test("a new tenant and its outlets are served without a request to the sign-on service", async () => {
		const before = asked();
		const tenant = await newTenant("clinic");
		const outlet = { code: "W1", name: "Ward", use_case: "services", is_hq: false, status: "active" };
		const id = randomUUID();
		await publish(ward.transport, outletChanged, {
			subject: id,
			tenant,
			data: { ...outlet, outlet_id: id, tenant_id: tenant.id, settings: {}, version: 1 },
		});
		for (const on of [undefined, other])
			expect(await statusOf({ url: me(tenant), token: ward.token(tenant, "admin"), ...(on && { on }) })).toBe(
				200,
			);
		await expect
			.poll(() => rows("select name from outlets where tenant_id = $1", [tenant.id]))
			.toEqual([{ name: "Ward" }]);
		expect(asked()).toEqual(before);
	});

	test("a renamed tenant is known by its new slug on every replica, without a request to the sign-on service", async () => {
		const before = asked();
		const tenant = await newTenant("before");
		const renamed = { ...tenant, slug: tenant.slug.replace("before", "behind") };
		for (const on of [undefined, other])
			expect(await statusOf({ url: me(tenant), token: ward.token(tenant, "admin"), ...(on && { on }) })).toBe(
				200,
			);
		await publishTenant(ward.transport, tenantUpdated, {
			tenant: renamed,
			version: 2,
			previousSlug: tenant.slug,
		});
		await expect
			.poll(() => rows("select slug from tenants where id = $1", [tenant.id]), pushed)
			.toEqual([{ slug: renamed.slug }]);
		const token = ward.token(renamed, "admin");
		for (const on of [undefined, other])
			expect(await statusOf({ url: me(renamed), token, ...(on && { on }) })).toBe(200);
		expect(asked()).toEqual(before);
	});

	test("a suspended tenant is refused on every replica before its cache expires, and served again after it is resumed", async () => {
		const tenant = await newTenant("shut");
		const token = ward.token(tenant, "admin");
		for (const on of [undefined, other])
			expect(await statusOf({ url: me(tenant), token, ...(on && { on }) })).toBe(200);
		await briefly(ward.transport, tenantSuspended, { tenant, version: 2 });
		for (const on of [undefined, other])
			await expect.poll(() => statusOf({ url: me(tenant), token, ...(on && { on }) }), pushed).toBe(403);
		await publishTenant(ward.transport, tenantUpdated, { tenant, version: 3 });
		for (const on of [undefined, other])
			await expect.poll(() => statusOf({ url: me(tenant), token, ...(on && { on }) }), pushed).toBe(200);
	});

	test("a revoked role of a person ends on every replica, even if their token still has it", async () => {
		const tenant = await newTenant("staff");
		const sub = randomUUID();
		const token = ward.token(tenant, "admin", { sub });
		const roleOn = async (on?: BuiltService) =>
			(await ward.call({ url: me(tenant), token, ...(on && { on }) })).body.service_role;
		expect([await roleOn(), await roleOn(other)]).toEqual(["hospital_admin", "hospital_admin"]);
		expect(await statusOf({ url: config(tenant), token, on: other })).toBe(200);
		await publishPerson(ward.transport, { tenant, sub, roles: ["member"], version: 2 });
		for (const on of [undefined, other]) await expect.poll(() => roleOn(on), pushed).toBe("hospital_viewer");
		expect(await statusOf({ url: config(tenant), token, on: other })).toBe(403);
	});

	/** The status of a request with the key on each replica. */
	const keyStatuses = (tenant: PublicTenant, key: string) =>
		Promise.all(
			[undefined, other].map((on) =>
				statusOf({ url: config(tenant), headers: { "x-api-key": key }, ...(on && { on }) }),
			),
		);
	const createKey = async (tenant: PublicTenant, sub: string) => {
		const made = await ward.call({
			method: "POST",
			url: `/api/v1/${tenant.slug}/hospital/api-keys`,
			token: ward.token(tenant, "admin", { sub }),
			body: { name: "lab", permissions: ["hospital.config.view"] },
		});
		expect(made.status).toBe(201);
		return String(made.body.key);
	};

	test("an API key loses the permissions that its creator loses by an event on every replica, and regains them with the creator", async () => {
		const tenant = await newTenant("keys");
		const sub = randomUUID();
		const key = await createKey(tenant, sub);
		expect(await keyStatuses(tenant, key)).toEqual([200, 200]);
		await publishPerson(ward.transport, { tenant, sub, roles: ["member"], version: 2 });
		await expect.poll(() => keyStatuses(tenant, key), pushed).toEqual([403, 403]);
		await publishPerson(ward.transport, { tenant, sub, roles: ["admin"], version: 3 });
		await expect.poll(() => keyStatuses(tenant, key), pushed).toEqual([200, 200]);
	});

	test("an API key ends on every replica when an event disables its creator", async () => {
		const tenant = await newTenant("endedkeys");
		const sub = randomUUID();
		const key = await createKey(tenant, sub);
		expect(await keyStatuses(tenant, key)).toEqual([200, 200]);
		await publish(ward.transport, authUserDisabled, { subject: sub, data: { user_id: sub, version: 2 } });
		await expect.poll(() => keyStatuses(tenant, key), pushed).toEqual([401, 401]);
	});

	test("a person who was approved is served with their existing token", async () => {
		const tenant = await newTenant("waits");
		const sub = randomUUID();
		const token = ward.token(tenant, "member", { sub, user_status: "pending_review", roles: [] });
		expect(await statusOf({ url: config(tenant), token })).toBe(403);
		await publishPerson(ward.transport, { tenant, sub, roles: ["admin"], version: 2 });
		await expect.poll(() => statusOf({ url: config(tenant), token }), pushed).toBe(200);
	});

	test("a disabled person is refused on every replica", async () => {
		const tenant = await newTenant("disabled");
		const sub = randomUUID();
		const token = ward.token(tenant, "admin", { sub });
		for (const on of [undefined, other])
			expect(await statusOf({ url: config(tenant), token, ...(on && { on }) })).toBe(200);
		await publish(ward.transport, authUserDisabled, { subject: sub, data: { user_id: sub, version: 2 } });
		for (const on of [undefined, other])
			await expect.poll(() => statusOf({ url: config(tenant), token, ...(on && { on }) }), pushed).toBe(403);
	});

	test("no table of the hospital has personal data of an erased person", async () => {
		const tenant = await newTenant("forgotten");
		const sub = randomUUID();
		const token = ward.token(tenant, "admin", { sub, email: "zuberi@uhai.example", name: "Zuberi Otieno" });
		const body = { key: "greeting", value: "karibu" };
		expect(await statusOf({ method: "PUT", url: config(tenant), token, body })).toBe(200);
		await publish(ward.transport, authUserDeleted, { subject: sub, data: { user_id: sub, version: 2 } });
		await expect
			.poll(() => rows("select email, name, status from users where auth_service_user_id = $1", [sub]))
			.toEqual([{ email: "", name: "", status: "deleted" }]);
		expect(await rows("select address from audit_log where actor_id = $1", [sub])).toEqual([
			{ address: null },
		]);
		const tables = await ward.database.db.query<{ name: string }>(
			"select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migrations'",
		);
		expect(tables.length).toBeGreaterThan(10);
		for (const { name } of tables) {
			const read = (db: Pick<Ward["db"], "query">) =>
				db.query(`select * from ${name} t where t::text ilike any (array['%zuberi%', '%otieno%'])`);
			const hasTenant = await ward.database.db.query(
				"select from information_schema.columns where table_name = $1 and column_name = 'tenant_id'",
				[name],
			);
			expect([
				name,
				hasTenant.length > 0 ? await acrossTenants(ward.database.db, read) : await read(ward.db),
			]).toEqual([name, []]);
		}
	});

	test("a deleted tenant is not found, its rows are deleted, and no token creates it again", async () => {
		const tenant = await newTenant("gone");
		const token = ward.token(tenant, "admin");
		const body = { key: "greeting", value: "karibu" };
		expect(await statusOf({ method: "PUT", url: config(tenant), token, body })).toBe(200);
		await ward.key(tenant, ["hospital.config.view"]);
		await briefly(ward.transport, tenantDeleted, { tenant, version: 2 });
		for (const on of [undefined, other])
			await expect.poll(() => statusOf({ url: me(tenant), token, ...(on && { on }) }), pushed).toBe(404);
		for (const table of ["users", "user_role_assignments", "service_config", "api_keys", "outlets"])
			await expect
				.poll(() => rows(`select tenant_id from ${table} where tenant_id = $1`, [tenant.id]))
				.toEqual([]);
		expect(
			await rows("select action from audit_log where tenant_id = $1 and action = 'config.changed'", [
				tenant.id,
			]),
		).toHaveLength(1);
		ward.issuer.tenants.push(tenant);
		ward.later(60);
		expect(await statusOf({ url: me(tenant), token })).toBe(404);
		expect(await rows("select slug, name, status from tenants where id = $1", [tenant.id])).toEqual([
			{ slug: tenant.id, name: "", status: "deleted" },
		]);
	});

	test("while database notifications are unavailable nothing is cached, and changes apply at once", async () => {
		const tenant = await newTenant("deaf");
		const token = ward.token(tenant, "admin");
		expect(await statusOf({ url: me(tenant), token, on: other })).toBe(200);
		const lost = () => ward.logged.filter((line) => line.includes("not subscribed to")).length;
		const before = lost();
		await ward.database.db.query(
			"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lango-hospital-listen' and datname = current_database()",
		);
		await expect.poll(lost).toBe(before + 2);
		await briefly(ward.transport, tenantSuspended, { tenant, version: 2 });
		await expect.poll(() => statusOf({ url: me(tenant), token, on: other }), pushed).toBe(403);
	});
});

describe.runIf(hasBus())("over the bus, with one process per replica", () => {
	test("a tenant suspended at the sign-on service is refused by both replicas before their caches expire", async () => {
		const [database, issuer, subscriptions, bus] = await Promise.all([
			createTestDatabase({ name: "hospital", sets: hospital.migrations }),
			startTestIssuer(),
			startTestSubscriptions(),
			startTestBus(),
		]);
		const environment = {
			HOSPITAL_DATABASE_URL: database.url,
			AUTH_URL: issuer.url,
			SUBSCRIPTIONS_URL: subscriptions.url,
			HOSPITAL_SNAPSHOT_READ_KEY: subscriptions.apiKey,
			LOG_LEVEL: "silent",
			NATS_URL: bus.url,
		};
		const replicas = [
			await buildService(hospital, { environment }),
			await buildService(hospital, { environment }),
		];
		const onError = (error: unknown) => {
			throw error;
		};
		const transport = natsTransport({ url: bus.url, name: "auth", replicas: 1, onError });
		try {
			const tenant = testTenant("uhai");
			const token = issuer.token({ tenant_id: tenant.id, tenant_slug: "uhai", roles: ["admin"] });
			const statuses = () =>
				Promise.all(
					replicas.map(
						async ({ app }) =>
							(await app.inject({ url: me(tenant), headers: { authorization: `Bearer ${token}` } }))
								.statusCode,
					),
				);
			const reached = () =>
				transport.check().then(
					() => true,
					() => false,
				);
			await expect.poll(reached).toBe(true);
			await publishTenant(transport, tenantCreated, { tenant, version: 1 });
			await expect.poll(() => database.db.query("select slug from tenants")).toEqual([{ slug: "uhai" }]);
			expect(await statuses()).toEqual([200, 200]);
			await briefly(transport, tenantSuspended, { tenant, version: 2 });
			await expect.poll(statuses, pushed).toEqual([403, 403]);
			expect(issuer.asked.has("/api/v1/tenants/by-slug/uhai")).toBe(false);
		} finally {
			await transport.close();
			for (const one of replicas) await one.close();
			await Promise.all([issuer.close(), subscriptions.close(), bus.stop()]);
			await database.drop();
		}
	}, 60_000);
});
