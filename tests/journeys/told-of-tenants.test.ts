import { randomUUID } from "node:crypto";
import { buildService, type ServiceDefinition } from "@lango/chassis";
import {
	authUserDeleted,
	authUserDisabled,
	authUserUpdated,
	type EventType,
	outletChanged,
	type PublicTenant,
	tenantCreated,
	tenantDeleted,
} from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { acrossTenants } from "@lango/postgres";
import { countTenantRows, openStand, routesOfDocument, type Stand, testTenant } from "@lango/testkit";
import { describe, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";

// every domain service knows a tenant from the event that makes it, keeps its outlets and people as they are
// told of, and keeps nothing of a tenant that is deleted

const keys = { POS_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}` };
const domainServices = parts.services
	.map(({ service }) => service)
	.filter(
		({ isRateLimited, access }) =>
			isRateLimited === true && access !== undefined && access.roles !== undefined,
	);

type Told = { stand: Stand; transport: Transport };
async function open(service: ServiceDefinition): Promise<Told & { close: () => Promise<void> }> {
	const transport = inProcessTransport();
	const stand = await openStand({
		service,
		environment: { ...keys, [`${service.name.toUpperCase()}_URL`]: "http://service.example" },
		build: (declared, options) => buildService(declared, { ...options, transport, jobs: "by hand" }),
	});
	const close = async () => {
		await stand.close();
		await transport.close();
	};
	return { stand, transport, close };
}

type News = { subject: string; tenant?: PublicTenant; data: object };
const tell = (transport: Transport, { type, source }: EventType, { subject, tenant, data }: News) =>
	transport.publish({
		...{ specversion: "1.0", id: randomUUID(), source, type, time: new Date().toISOString(), subject },
		...{ datacontenttype: "application/json", data },
		...(tenant !== undefined && { tenantid: tenant.id, tenantslug: tenant.slug }),
	});
const tellTenant = (
	transport: Transport,
	what: EventType,
	{ id, version, ...told }: PublicTenant & { version: number },
) => {
	const data = { ...told, tenant_id: id, use_case: null, org_size: null, version };
	return tell(transport, what, { subject: id, tenant: { id, ...told }, data });
};
/** The address at which somebody of the tenant asks who they are. */
function meOf(stand: Stand, tenant: PublicTenant): string {
	const [me] = routesOfDocument(stand.built.app.swagger(), "/").filter(({ url }) => url.endsWith("/auth/me"));
	return me?.url.replace(":tenant", tenant.slug) ?? "";
}

test("there are domain services", () => {
	expect(domainServices.map(({ name }) => name)).toEqual(
		expect.arrayContaining("hospital pos ordering inventory logistics marketflow projects".split(" ")),
	);
});

describe.each(domainServices)("$name", (service) => {
	test("serves a tenant it was told of without asking the sign-on service, and erases one that is deleted", async () => {
		const { stand, transport, close } = await open(service);
		try {
			const tenant = testTenant("mpya");
			const token = stand.token(tenant, "admin");
			const ask = async () => (await stand.call({ method: "GET", url: meOf(stand, tenant), token })).status;
			await tellTenant(transport, tenantCreated, { ...tenant, version: 1 });
			await expect.poll(ask).toBe(200);
			expect(await countTenantRows(stand.database.db, tenant.id)).toMatchObject({ users: 1 });
			await tellTenant(transport, tenantDeleted, { ...tenant, version: 2 });
			const rows = () => countTenantRows(stand.database.db, tenant.id);
			await expect.poll(rows, { timeout: 10_000 }).toMatchObject({ users: 0, user_role_assignments: 0 });
			expect(await ask()).not.toBe(200);
		} finally {
			await close();
		}
	});

	test("keeps an outlet as the newest event tells of it, also of a tenant it has not met", async () => {
		const { stand, transport, close } = await open(service);
		try {
			const [tenant, id] = [testTenant("mpya"), randomUUID()];
			const told = (name: string, status: string, version: number) => {
				const outlet = { code: "M", name, use_case: "retail", is_hq: false, status, settings: {} };
				const data = { ...outlet, outlet_id: id, tenant_id: tenant.id, version };
				return tell(transport, outletChanged, { subject: id, tenant, data });
			};
			const rows = () =>
				acrossTenants(stand.database.db, (tx) =>
					tx.query("select tenant_id, name, status, version from outlets where id = $1", [id]),
				);
			await told("Main", "active", 1);
			await expect.poll(rows).toMatchObject([{ tenant_id: tenant.id, name: "Main", status: "active" }]);
			await told("Closed", "inactive", 3);
			await expect.poll(rows).toMatchObject([{ name: "Closed", status: "inactive", version: 3 }]);
			await told("Late", "active", 2);
			await told("Last", "active", 4);
			await expect.poll(rows).toMatchObject([{ name: "Last", version: 4 }]);
		} finally {
			await close();
		}
	});

	test("keeps somebody it has met as events tell of them: changed, disabled, erased", async () => {
		const { stand, transport, close } = await open(service);
		try {
			const [tenant, subject] = [stand.tenants.uhai, randomUUID()];
			const token = stand.token(tenant, "admin", { sub: subject, name: "Before" });
			const me = () => stand.call({ method: "GET", url: meOf(stand, tenant), token });
			const before = await me();
			expect([before.status, before.body.permissions]).toEqual([
				200,
				expect.arrayContaining([expect.any(String)]),
			]);
			const rows = () =>
				acrossTenants(stand.database.db, (tx) =>
					tx.query("select email, name, status from users where auth_service_user_id = $1", [subject]),
				);
			const now = { name: "Asha", email: "asha@uhai.example", status: "active" };
			const more = { email_verified: true, is_hq: false, outlet_ids: [], roles: [], version: 2 };
			const data = { user_id: subject, ...now, ...more };
			await tell(transport, authUserUpdated, { subject, tenant, data });
			await expect.poll(rows).toEqual([now]);
			// Whatever the token still says, the administrator's rights are gone.
			await expect.poll(async () => (await me()).body.permissions).not.toEqual(before.body.permissions);
			await tell(transport, authUserDisabled, { subject, data: { user_id: subject, version: 3 } });
			await expect.poll(rows).toEqual([{ ...now, status: "disabled" }]);
			await expect.poll(async () => (await me()).body.permissions ?? []).toEqual([]);
			await tell(transport, authUserDeleted, { subject, data: { user_id: subject, version: 4 } });
			await expect.poll(rows).toEqual([{ email: "", name: "", status: "deleted" }]);
		} finally {
			await close();
		}
	});
});
