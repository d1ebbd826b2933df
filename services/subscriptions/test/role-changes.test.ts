import { randomUUID } from "node:crypto";
import { authUserUpdated, type EventEnvelope } from "@lango/contracts";
import { inProcessTransport } from "@lango/events";
import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, test } from "vitest";
import { setUpService } from "./test-service.ts";

const service = setUpService();

let tenantId: string;
let userId: string;
const issuedAt = new Date("2026-03-01T12:00:00Z");
beforeEach(() => {
	service.clock.now = issuedAt;
	[tenantId, userId] = [randomUUID(), randomUUID()];
});

const minute = 60_000;
const roleChange = (data: object, afterMs = minute): EventEnvelope => ({
	specversion: "1.0",
	id: randomUUID(),
	source: "/auth",
	type: authUserUpdated.type,
	time: new Date(issuedAt.getTime() + afterMs).toISOString(),
	subject: userId,
	datacontenttype: "application/json",
	tenantid: tenantId,
	data: {
		user_id: userId,
		email: "a@acme.example",
		name: "A",
		roles: ["staff"],
		status: "active",
		email_verified: true,
		is_hq: false,
		outlet_ids: [],
		version: 2,
		...data,
	},
});
const publishChange = (data: object, afterMs?: number) =>
	service.transport.publish(roleChange(data, afterMs));
const tokenOf = (claims: object) => service.tokenOf(tenantId, { sub: userId, ...claims });
type Ask = { token: string; url?: string; app?: FastifyInstance };
const ask = async ({
	token,
	url = `/api/v1/tenants/${tenantId}/subscription/bills`,
	app = service.app,
}: Ask) => {
	const answer = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
	return [answer.statusCode, answer.json<{ code?: string }>().code];
};
const good = [200, undefined];
const refused = [401, "token_invalid"];

describe("a token", () => {
	test("with the role admin is refused once an event revoked it, and the next one has the current roles", async () => {
		const token = tokenOf({ roles: ["admin"] });
		expect(await ask({ token })).toEqual(good);
		await publishChange({ roles: ["staff"] });
		expect(await ask({ token })).toEqual(refused);
		service.clock.now = new Date(issuedAt.getTime() + 2 * minute);
		expect(await ask({ token: tokenOf({ roles: ["staff"] }) })).toEqual([403, "forbidden"]);
	});

	test("of a superuser is refused once an event revoked that role, on routes of the platform owner, too", async () => {
		const token = tokenOf({ roles: ["superuser"], tenant_slug: "lango" });
		const urls = ["/api/v1/admin/audit", "/api/v1/platform/dead-letters"];
		for (const url of urls) expect(await ask({ token, url })).toEqual(good);
		await publishChange({ roles: ["admin"] });
		for (const url of urls) expect(await ask({ token, url })).toEqual(refused);
	});

	test("of a user who left the tenant is refused", async () => {
		const token = tokenOf({ roles: ["admin"] });
		await publishChange({ roles: ["admin"], status: "removed" });
		expect(await ask({ token })).toEqual(refused);
	});

	test("signed during the revocation is refused, a later one is not", async () => {
		const token = tokenOf({ roles: ["admin"] });
		await publishChange({ roles: [] }, -29_000);
		expect(await ask({ token })).toEqual(refused);
		service.clock.now = new Date(issuedAt.getTime() + 1_000);
		expect(await ask({ token: tokenOf({ roles: ["admin"] }) })).toEqual(good);
	});

	test("is accepted if the event is older, of another tenant, or keeps its role", async () => {
		const token = tokenOf({ roles: ["admin", "staff"] });
		await publishChange({ roles: [], version: 2 });
		await publishChange({ roles: ["admin"], version: 3 });
		await publishChange({ roles: [], version: 2 });
		await service.transport.publish({ ...roleChange({ roles: [], version: 9 }), tenantid: randomUUID() });
		expect(await ask({ token })).toEqual(good);
	});
});

test("a process that starts later refuses tokens outdated by earlier events", async () => {
	const token = tokenOf({ roles: ["admin"] });
	const before = roleChange({ roles: [] });
	const transport = inProcessTransport();
	await transport.announce({
		list: async ({ types, after }) =>
			types.includes(before.type) && after < 1n ? [{ position: 1n, envelope: before }] : [],
	});
	const later = await service.again({}, transport);
	try {
		await expect.poll(async () => (await later.app.inject("/readyz")).statusCode).toBe(200);
		expect(await ask({ token, app: later.app })).toEqual(refused);
	} finally {
		await later.close();
	}
});
