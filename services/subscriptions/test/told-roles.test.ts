import { randomUUID } from "node:crypto";
import { authUserUpdated, type EventEnvelope } from "@lango/contracts";
import { inProcessTransport } from "@lango/events";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Standing, standUp } from "./standing.ts";

let standing: Standing;
beforeAll(async () => {
	standing = await standUp();
});
afterAll(() => standing.end());

let tenantId: string;
let userId: string;
const issuedAt = new Date("2026-03-01T12:00:00Z");
beforeEach(() => {
	standing.clock.now = issuedAt;
	[tenantId, userId] = [randomUUID(), randomUUID()];
});

const minute = 60_000;
const told = (data: object, afterMs = minute): EventEnvelope => ({
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
const announcement = (data: object, afterMs?: number) => standing.transport.publish(told(data, afterMs));
const tokenOf = (claims: object) => standing.tokenOf(tenantId, { sub: userId, ...claims });
type Ask = { token: string; url?: string; app?: FastifyInstance };
const ask = async ({
	token,
	url = `/api/v1/tenants/${tenantId}/subscription/bills`,
	app = standing.app,
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
		await announcement({ roles: ["staff"] });
		expect(await ask({ token })).toEqual(refused);
		standing.clock.now = new Date(issuedAt.getTime() + 2 * minute);
		expect(await ask({ token: tokenOf({ roles: ["staff"] }) })).toEqual([403, "forbidden"]);
	});

	test("of a superuser is refused once an event revoked that role, on routes of the platform owner, too", async () => {
		const token = tokenOf({ roles: ["superuser"], tenant_slug: "lango" });
		const urls = ["/api/v1/admin/audit", "/api/v1/platform/dead-letters"];
		for (const url of urls) expect(await ask({ token, url })).toEqual(good);
		await announcement({ roles: ["admin"] });
		for (const url of urls) expect(await ask({ token, url })).toEqual(refused);
	});

	test("of a user who left the tenant is refused", async () => {
		const token = tokenOf({ roles: ["admin"] });
		await announcement({ roles: ["admin"], status: "removed" });
		expect(await ask({ token })).toEqual(refused);
	});

	test("signed during the revocation is refused, a later one is not", async () => {
		const token = tokenOf({ roles: ["admin"] });
		await announcement({ roles: [] }, -29_000);
		expect(await ask({ token })).toEqual(refused);
		standing.clock.now = new Date(issuedAt.getTime() + 1_000);
		expect(await ask({ token: tokenOf({ roles: ["admin"] }) })).toEqual(good);
	});

	test("is accepted if the event is older, of another tenant, or keeps its role", async () => {
		const token = tokenOf({ roles: ["admin", "staff"] });
		await announcement({ roles: [], version: 2 });
		await announcement({ roles: ["admin"], version: 3 });
		await announcement({ roles: [], version: 2 });
		await standing.transport.publish({ ...told({ roles: [], version: 9 }), tenantid: randomUUID() });
		expect(await ask({ token })).toEqual(good);
	});
});

test("a process that starts later refuses tokens outdated by earlier events", async () => {
	const token = tokenOf({ roles: ["admin"] });
	const before = told({ roles: [] });
	const transport = inProcessTransport();
	await transport.announce({
		list: async ({ types, after }) =>
			types.includes(before.type) && after < 1n ? [{ position: 1n, envelope: before }] : [],
	});
	const later = await standing.again({}, transport);
	try {
		await vi.waitFor(async () => expect((await later.app.inject("/readyz")).statusCode).toBe(200));
		expect(await ask({ token, app: later.app })).toEqual(refused);
	} finally {
		await later.close();
	}
});
