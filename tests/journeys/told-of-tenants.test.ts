import { randomUUID } from "node:crypto";
import { buildService, type ServiceDefinition } from "@lango/chassis";
import { type EventType, type PublicTenant, tenantCreated, tenantDeleted } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { countTenantRows, openStand, routesOfDocument, type Stand, testTenant } from "@lango/testkit";
import { describe, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";

// every domain service knows a tenant from the event that makes it, and keeps nothing of one that is deleted

const keys = { LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}` };
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

const tell = (
	transport: Transport,
	{ type, source }: EventType,
	{ id, ...told }: PublicTenant & { version: number },
) =>
	transport.publish({
		...{ specversion: "1.0", id: randomUUID(), source, type, time: new Date().toISOString(), subject: id },
		...{ datacontenttype: "application/json", tenantid: id, tenantslug: told.slug },
		data: { ...told, tenant_id: id, use_case: null, org_size: null },
	});

test("there are domain services", () => {
	expect(domainServices.map(({ name }) => name)).toEqual(
		expect.arrayContaining(["hospital", "pos", "projects"]),
	);
});

describe.each(domainServices)("$name", (service) => {
	test("serves a tenant it was told of without asking the sign-on service, and erases one that is deleted", async () => {
		const { stand, transport, close } = await open(service);
		try {
			const tenant = testTenant("mpya");
			const [me] = routesOfDocument(stand.built.app.swagger(), "/").filter(({ url }) =>
				url.endsWith("/auth/me"),
			);
			const token = stand.token(tenant, "admin");
			const ask = async () =>
				(await stand.call({ method: "GET", url: me?.url.replace(":tenant", tenant.slug) ?? "", token }))
					.status;
			await tell(transport, tenantCreated, { ...tenant, version: 1 });
			await expect.poll(ask).toBe(200);
			expect(await countTenantRows(stand.database.db, tenant.id)).toMatchObject({ users: 1 });
			await tell(transport, tenantDeleted, { ...tenant, version: 2 });
			const rows = () => countTenantRows(stand.database.db, tenant.id);
			await expect.poll(rows, { timeout: 10_000 }).toMatchObject({ users: 0, user_role_assignments: 0 });
			expect(await ask()).not.toBe(200);
		} finally {
			await close();
		}
	});
});
