import { randomUUID } from "node:crypto";
import { inTenant, listUntiedTables } from "@lango/postgres";
import { countTenantRows, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BuiltService } from "../src/index.ts";
import { openBakery } from "./bakery.ts";
import { give, ovenBakery } from "./belongings.ts";

const bakery = setUp(() => openBakery(ovenBakery()));
let replica: BuiltService;

beforeAll(async () => {
	replica = await bakery.replica();
});
afterAll(() => replica.close());

type Tenant = ReturnType<typeof testTenant>;

/** A tenant of the sign-on service that this service has met, with something in every table. */
async function known(mark = "old"): Promise<Tenant> {
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`);
	bakery.issuer.tenants.push(tenant);
	expect((await me(tenant)).statusCode).toBe(200);
	await give(bakery.db, tenant.id, { mark });
	return { ...tenant };
}

/** From now on the sign-on service has another id for the slug and does not know the previous one. */
function drift(tenant: Tenant): Tenant {
	const drifted = bakery.issuer.tenants.find(({ id }) => id === tenant.id);
	if (drifted === undefined) throw new Error("the sign-on service does not know it");
	drifted.id = randomUUID();
	return { ...drifted };
}

const me = ({ id, slug }: Tenant, { at = slug, on = bakery as BuiltService } = {}) =>
	on.app.inject({
		url: `/api/v1/${at}/bakery/auth/me`,
		headers: {
			authorization: `Bearer ${bakery.token({ tenant_id: id, tenant_slug: slug, roles: ["admin"] })}`,
		},
	});
const audited = (tenantId: string, action: string) =>
	inTenant(bakery.db, tenantId, (tx) =>
		tx.query<{ subject: string; detail: Record<string, unknown> }>(
			"select subject, detail from audit_log where tenant_id = $1 and action = $2 order by id",
			[tenantId, action],
		),
	);
const repointedEvents = async (tenantId: string) =>
	(
		await bakery.db.query<{ envelope: { data: unknown } }>(
			"select envelope from outbox where type = 'bakery.tenant.repointed' and subject = $1",
			[tenantId],
		)
	).map(({ envelope }) => envelope.data);
const slugsOf = (...ids: string[]) =>
	Promise.all(
		ids.map(async (id) => (await bakery.db.query("select slug from tenants where id = $1", [id]))[0]?.slug),
	);
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0);

describe("a tenant whose id drifted", () => {
	test("is repointed once by ten requests at once on two replicas, with what it has in every table", async () => {
		const before = await known();
		const had = await countTenantRows(bakery.db, before.id);
		expect(Object.entries(had).filter(([, rows]) => rows === 0)).toEqual([]);
		const now = drift(before);
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, one) =>
				me(now, { on: one % 2 === 0 ? bakery : replica, at: one % 3 === 0 ? now.id : now.slug }),
			),
		);
		expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200));
		expect(sum(await countTenantRows(bakery.db, before.id))).toBe(0);
		const has = await countTenantRows(bakery.db, now.id);
		for (const [table, rows] of Object.entries(had)) expect(has[table]).toBeGreaterThanOrEqual(rows);
		expect(await audited(now.id, "tenant.repointed")).toMatchObject([
			{ subject: now.id, detail: { slug: now.slug, previous_tenant_id: before.id, yielded: 0 } },
		]);
		expect(await repointedEvents(now.id)).toEqual([
			{ tenant_id: now.id, slug: now.slug, previous_tenant_id: before.id, yielded: 0 },
		]);
		for (const on of [bakery, replica]) expect((await me(before, { on })).statusCode).toBe(404);
		expect(await slugsOf(before.id, now.id)).toEqual([undefined, now.slug]);
	});

	test("that has rows under both ids has them under one, and of two that cannot both be the newer stays", async () => {
		const before = await known("new");
		const subject = randomUUID();
		const now = drift(before);
		await bakery.db.query(
			`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
			 values ($1, $1::uuid::text, '', 'unknown', 'UTC', '', 'und', 'epoch')`,
			[now.id],
		);
		await give(bakery.db, now.id, { mark: "old", at: new Date(0), subject });
		await inTenant(bakery.db, before.id, (tx) =>
			tx.query("update users set auth_service_user_id = $1 where email = 'new'", [subject]),
		);
		expect((await me(now)).statusCode).toBe(200);
		expect(sum(await countTenantRows(bakery.db, before.id))).toBe(0);
		await inTenant(bakery.db, now.id, async (tx) => {
			expect(await tx.query("select email from users where auth_service_user_id = $1", [subject])).toEqual([
				{ email: "new" },
			]);
			expect(await tx.query("select key, value from service_config order by key")).toEqual([
				{ key: "only.new", value: 1 },
				{ key: "only.old", value: 1 },
				{ key: "opens", value: "new" },
			]);
			expect(await tx.query("select name from outlets order by 1")).toEqual([
				{ name: "new" },
				{ name: "old" },
			]);
			const held = await tx.query<{ code: string }>(
				`select p.permission_code as code from roles r join role_permissions rp on rp.role_id = r.id
				   join permissions p on p.id = rp.permission_id where r.role_code = 'oven_keeper' order by 1`,
			);
			expect(held.map(({ code }) => code)).toEqual([
				"bakery.loaves.change",
				"bakery.loaves.view",
				"bakery.loaves.view_own",
			]);
			expect(
				await tx.query(
					`select s.day::text from shifts s join users u on u.id = s.user_id where u.email = 'new' order by 1`,
				),
			).toEqual([{ day: "2026-05-01" }, { day: "2026-05-02" }, { day: "2026-05-03" }]);
			expect(
				await tx.query(
					`select a.assigned_by from user_role_assignments a join users u on u.id = a.user_id where u.email = 'new'`,
				),
			).toEqual([{ assigned_by: "owner" }]);
		});
		const yielded = await audited(now.id, "tenant.row_merged");
		expect(new Set(yielded.map(({ subject: table }) => table))).toEqual(
			new Set([
				"users",
				"roles",
				"role_permissions",
				"user_role_assignments",
				"service_config",
				"ovens",
				"shifts",
			]),
		);
		const user = yielded.find(({ subject: table }) => table === "users")?.detail;
		expect(user).toMatchObject({ auth_service_user_id: subject });
		expect(user).not.toHaveProperty("email");
		expect(await repointedEvents(now.id)).toMatchObject([{ yielded: yielded.length }]);
	});

	test("an assigned role of one side holds alone where the other side had a first role", async () => {
		const before = await known();
		const now = drift(before);
		const subject = randomUUID();
		await bakery.db.query(
			`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
			 values ($1, $1::uuid::text, '', 'unknown', 'UTC', '', 'und', 'epoch')`,
			[now.id],
		);
		await give(bakery.db, now.id, { mark: "new", subject, place: 2 });
		await bakery.app.inject({
			url: `/api/v1/${before.slug}/bakery/auth/me`,
			headers: {
				authorization: `Bearer ${bakery.token({ sub: subject, tenant_id: before.id, tenant_slug: before.slug, roles: ["admin"] })}`,
			},
		});
		const answer = await bakery.app.inject({
			url: `/api/v1/${now.slug}/bakery/auth/me`,
			headers: {
				authorization: `Bearer ${bakery.token({ sub: subject, tenant_id: now.id, tenant_slug: now.slug, roles: ["admin"] })}`,
			},
		});
		expect(answer.json()).toMatchObject({ service_role: "oven_keeper" });
	});
});

describe("a token that names another id than the tenant known here", () => {
	test("is refused with 404 when the sign-on service does not confirm it, and asks once in half a minute", async () => {
		const tenant = await known();
		const made = { ...tenant, id: randomUUID() };
		const had = await countTenantRows(bakery.db, tenant.id);
		for (const at of [tenant.slug, made.id]) expect((await me(made, { at })).statusCode).toBe(404);
		const path = `/api/v1/tenants/by-slug/${tenant.slug}`;
		const asked = bakery.issuer.asked.get(path);
		expect((await me(made)).json()).toMatchObject({ code: "tenant_not_found" });
		expect(bakery.issuer.asked.get(path)).toBe(asked);
		expect(await countTenantRows(bakery.db, tenant.id)).toEqual(had);
	});

	test("is answered 503 while the sign-on service cannot be asked, and nothing is changed", async () => {
		const tenant = await known();
		const now = drift(tenant);
		const had = await countTenantRows(bakery.db, tenant.id);
		bakery.issuer.brokenWith = 500;
		const answer = await me(now);
		bakery.issuer.brokenWith = undefined;
		expect(answer.statusCode).toBe(503);
		expect(await countTenantRows(bakery.db, tenant.id)).toEqual(had);
		expect((await me(now)).statusCode).toBe(200);
	});
});

describe("every foreign key that has a tenant_id in it", () => {
	test("takes a change of the tenant along", async () => {
		const left = await bakery.db.query(
			`select conname from pg_constraint r
			  where r.contype = 'f' and r.connamespace = 'public'::regnamespace and r.confupdtype <> 'c'
			    and exists (select from unnest(r.conkey) k join pg_attribute a on a.attrelid = r.conrelid and a.attnum = k where a.attname = 'tenant_id')`,
		);
		expect(left).toEqual([]);
	});

	test("ties its table to the tenant, and a table without one is found", async () => {
		expect(await listUntiedTables(bakery.db)).toEqual(["ovens"]);
	});
});
