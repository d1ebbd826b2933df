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
import { standSettings } from "./stand-settings.ts";

// Every domain service knows a tenant from its first event, keeps its outlets and users as the events
// describe them, and erases a deleted tenant.

const domainServices = parts.services
	.map(({ service }) => service)
	.filter(
		({ isRateLimited, access }) =>
			isRateLimited === true && access !== undefined && access.roles !== undefined,
	);

type Opened = { stand: Stand; transport: Transport };
async function open(service: ServiceDefinition): Promise<Opened & { close: () => Promise<void> }> {
	const transport = inProcessTransport();
	const stand = await openStand({
		service,
		environment: {
			...standSettings(service.name),
			[`${service.name.toUpperCase()}_URL`]: "http://service.example",
		},
		build: (declared, options) => buildService(declared, { ...options, transport, jobs: "by hand" }),
	});
	const close = async () => {
		await stand.close();
		await transport.close();
	};
	return { stand, transport, close };
}

type Published = { subject: string; tenant?: PublicTenant; data: object };
const publish = (transport: Transport, { type, source }: EventType, { subject, tenant, data }: Published) =>
	transport.publish({
		...{ specversion: "1.0", id: randomUUID(), source, type, time: new Date().toISOString(), subject },
		...{ datacontenttype: "application/json", data },
		...(tenant !== undefined && { tenantid: tenant.id, tenantslug: tenant.slug }),
	});
const publishTenant = (
	transport: Transport,
	what: EventType,
	{ id, version, ...tenant }: PublicTenant & { version: number },
) => {
	const data = { ...tenant, tenant_id: id, use_case: null, org_size: null, version };
	return publish(transport, what, { subject: id, tenant: { id, ...tenant }, data });
};
/** The address of a user's own record in a tenant. */
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
	test("serves a tenant known from an event without a call to the sign-on service, and erases a deleted tenant", async () => {
		const { stand, transport, close } = await open(service);
		try {
			const tenant = testTenant("mpya");
			const token = stand.token(tenant, "admin");
			const ask = async () => (await stand.call({ method: "GET", url: meOf(stand, tenant), token })).status;
			await publishTenant(transport, tenantCreated, { ...tenant, version: 1 });
			await expect.poll(ask).toBe(200);
			expect(await countTenantRows(stand.database.db, tenant.id)).toMatchObject({ users: 1 });
			await publishTenant(transport, tenantDeleted, { ...tenant, version: 2 });
			const rows = () => countTenantRows(stand.database.db, tenant.id);
			await expect.poll(rows).toMatchObject({ users: 0, user_role_assignments: 0 });
			expect(await ask()).not.toBe(200);
		} finally {
			await close();
		}
	});

	test("keeps an outlet as in its newest event, also of a tenant it does not know", async () => {
		const { stand, transport, close } = await open(service);
		try {
			const [tenant, id] = [testTenant("mpya"), randomUUID()];
			const change = (name: string, status: string, version: number) => {
				const outlet = { code: "M", name, use_case: "retail", is_hq: false, status, settings: {} };
				const data = { ...outlet, outlet_id: id, tenant_id: tenant.id, version };
				return publish(transport, outletChanged, { subject: id, tenant, data });
			};
			const rows = () =>
				acrossTenants(stand.database.db, (tx) =>
					tx.query("select tenant_id, name, status, version from outlets where id = $1", [id]),
				);
			await change("Main", "active", 1);
			await expect.poll(rows).toMatchObject([{ tenant_id: tenant.id, name: "Main", status: "active" }]);
			await change("Closed", "inactive", 3);
			await expect.poll(rows).toMatchObject([{ name: "Closed", status: "inactive", version: 3 }]);
			await change("Late", "active", 2);
			await change("Last", "active", 4);
			await expect.poll(rows).toMatchObject([{ name: "Last", version: 4 }]);
		} finally {
			await close();
		}
	});

	test("keeps a known user as the events describe them: changed, disabled, erased", async () => {
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
			await publish(transport, authUserUpdated, { subject, tenant, data });
			await expect.poll(rows).toEqual([now]);
			// The token still has the role, but the administrator's permissions are revoked.
			await expect.poll(async () => (await me()).body.permissions).not.toEqual(before.body.permissions);
			await publish(transport, authUserDisabled, { subject, data: { user_id: subject, version: 3 } });
			await expect.poll(rows).toEqual([{ ...now, status: "disabled" }]);
			await expect.poll(async () => (await me()).body.permissions ?? []).toEqual([]);
			await publish(transport, authUserDeleted, { subject, data: { user_id: subject, version: 4 } });
			await expect.poll(rows).toEqual([{ email: "", name: "", status: "deleted" }]);
		} finally {
			await close();
		}
	});
});
