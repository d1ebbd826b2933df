import { randomUUID } from "node:crypto";
import { type AccessTokenClaims, authUserUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BuiltService } from "../src/index.ts";
import { openBakery } from "./bakery.ts";

const bakery = setUp(openBakery);
let replica: BuiltService;
const platform = testTenant("lango");

beforeAll(async () => {
	replica = await bakery.replica();
	bakery.issuer.tenants.push(platform);
});
afterAll(() => replica.close());

type Person = { sub: string; tenant: typeof platform };

const ask = async (token: string, what: { method?: "GET" | "POST"; url: string; on?: BuiltService }) => {
	const { method = "GET", url, on = bakery } = what;
	const answer = await on.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } });
	return { status: answer.statusCode, code: answer.json()?.code, headers: answer.headers };
};
const issue = ({ sub, tenant }: Person, claims: Partial<AccessTokenClaims> = {}) =>
	bakery.token({ sub, tenant_id: tenant.id, tenant_slug: tenant.slug, roles: ["superuser"], ...claims });
/** The event as the sign-on service publishes it, through outbox, relay and transport. */
const publish = ({ sub, tenant }: Person, update: { roles: string[]; version: number; at?: Date }) =>
	recordEvent(bakery.db, authUserUpdated, {
		subject: sub,
		tenantId: tenant.id,
		now: update.at ?? new Date(),
		data: {
			...{ user_id: sub, email: "a@mkate.example", name: "Asha", status: "active", roles: update.roles },
			...{ email_verified: true, is_hq: false, outlet_ids: [], version: update.version },
		},
	});
const change = { method: "POST", url: "/api/v1/mkate/bakery/loaves" } as const;
const letters = { url: "/api/v1/platform/dead-letters" };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

describe("a superuser whose role is taken away", () => {
	test("passes no check with an older token, on any replica, and a new token has the current roles", async () => {
		const person = { sub: randomUUID(), tenant: bakery.tenant };
		const token = issue(person);
		for (const on of [bakery, replica]) expect((await ask(token, { ...change, on })).status).toBe(200);
		await publish(person, { roles: ["staff"], version: 1 });
		await expect.poll(async () => (await ask(token, change)).status).toBe(401);
		for (const on of [bakery, replica]) {
			const refused = await ask(token, { url: "/api/v1/mkate/bakery/auth/me", on });
			expect(refused).toMatchObject({ status: 401, code: "token_invalid" });
			expect(refused.headers["www-authenticate"]).toContain("invalid_token");
		}
		const next = issue(person, { roles: ["staff"] });
		expect((await ask(next, { url: "/api/v1/mkate/bakery/loaves" })).status).toBe(200);
		expect((await ask(next, change)).status).toBe(403);
	});

	test("passes nothing by a token that was signed in the moments after, from what was before", async () => {
		const person = { sub: randomUUID(), tenant: bakery.tenant };
		expect((await ask(issue(person), change)).status).toBe(200);
		await publish(person, { roles: [], version: 1 });
		await expect.poll(async () => (await ask(issue(person), change)).status).toBe(401);
		const late = issue(person, { iat: inSeconds(20), exp: inSeconds(600) });
		expect((await ask(late, change)).status).toBe(401);
	});

	test("owns the platform no longer: neither its routes nor other tenants", async () => {
		const person = { sub: randomUUID(), tenant: platform };
		const token = issue(person);
		const other = { url: "/api/v1/mkate/bakery/loaves" };
		expect([(await ask(token, letters)).status, (await ask(token, other)).status]).toEqual([200, 200]);
		await publish(person, { roles: ["viewer"], version: 1 });
		await expect.poll(async () => (await ask(token, letters)).status).toBe(401);
		expect((await ask(token, other)).status).toBe(401);
	});

	test("passes by the same token again when the role is given back", async () => {
		const person = { sub: randomUUID(), tenant: bakery.tenant };
		const token = issue(person);
		expect((await ask(token, change)).status).toBe(200);
		await publish(person, { roles: [], version: 1 });
		await expect.poll(async () => (await ask(token, change)).status).toBe(401);
		await publish(person, { roles: ["superuser"], version: 2 });
		await expect.poll(async () => (await ask(token, change)).status).toBe(200);
	});

	test("is not held against a token that is newer than the event", async () => {
		const person = { sub: randomUUID(), tenant: bakery.tenant };
		expect((await ask(issue(person, { iat: inSeconds(-300) }), change)).status).toBe(200);
		await publish(person, { roles: [], version: 1, at: new Date(Date.now() - 120_000) });
		await expect
			.poll(async () => (await ask(issue(person, { iat: inSeconds(-300) }), change)).status)
			.toBe(401);
		expect((await ask(issue(person), change)).status).toBe(200);
	});
});
