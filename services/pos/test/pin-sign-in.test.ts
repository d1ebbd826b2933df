import { setUp } from "@lango/testkit/set-up";
import { generateSigningKey, readHeader, signJwt } from "@lango/tokens";
import { beforeAll, expect, test } from "vitest";
import { openShop, posUrl, somebody } from "./shop.ts";
import { at, givePin, hire, me, meet, type OpenTill, openTill, signInAt, typePin } from "./till.ts";

const shop = setUp(openShop);
let till: OpenTill;
beforeAll(async () => {
	till = await openTill(shop);
});

const claimsOf = (token: string): Record<string, unknown> =>
	JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

test("a right PIN gets a token of twelve hours with the role, its permissions and the outlet", async () => {
	const juma = await hire(shop, till);
	const { status, body, headers } = await typePin(shop, till, { who: juma, pin: "2580" });
	const outlet = shop.outlet(shop.kahawa);
	expect(status).toBe(200);
	expect(headers["cache-control"]).toBe("no-store");
	expect(body).toMatchObject({
		...{ token_type: "Bearer", expires_in: 43_200, user_id: juma.sub, name: "Juma Ali", pos_role: "cashier" },
		...{ permissions: ["pos.outlets.view"], outlet_id: outlet.id },
	});
	const claims = claimsOf(String(body.access_token));
	expect(claims).toMatchObject({
		...{ iss: posUrl, aud: "urn:lango:pos", sub: juma.sub, pos_role: "cashier", terminal_id: till.id },
		...{ permissions: ["pos.outlets.view"], tenant_id: shop.kahawa.id, tenant_slug: "kahawa" },
		...{ outlet_id: outlet.id, outlet_code: "MAIN", outlet_use_case: "quick_service", is_hq_user: false },
	});
	expect(Number(claims.exp) - Number(claims.iat)).toBe(43_200);
	expect(claims).not.toHaveProperty("roles");
});

test("sign-in works below /api/v1, too, and accepts the tenant's id", async () => {
	const juma = await hire(shop, till);
	const body = { tenant: shop.kahawa.id, terminal: till.token, user_id: juma.sub, pin: "2580" };
	expect((await shop.call({ method: "POST", url: "/api/v1/auth/pin", body })).status).toBe(200);
});

test("auth/me returns pos_role and the permissions usable at a till for a till token", async () => {
	const juma = await hire(shop, till);
	const { status, body } = await me(shop, await signInAt(shop, till, { who: juma, pin: "2580" }));
	expect([status, body]).toEqual([
		200,
		{
			...{ user_id: juma.sub, email: "cashier@kahawa.example", name: "Juma Ali", global_roles: [] },
			...{ pos_role: "cashier", permissions: ["pos.outlets.view"] },
		},
	]);
});

test("auth/me returns pos_role and no service_role for an access token of the sign-on service", async () => {
	const juma = await hire(shop, till);
	const { body } = await me(shop, shop.token(juma));
	expect(body).toMatchObject({ pos_role: "cashier", global_roles: ["cashier"] });
	expect(body).not.toHaveProperty("service_role");
});

test("a till sees only its own outlet and cannot name another", async () => {
	const token = await signInAt(shop, till, { who: await hire(shop, till), pin: "2580" });
	const mine = await shop.call({ url: at(shop.kahawa, "/outlets"), token });
	expect((mine.body.items as Array<{ code: string }>).map(({ code }) => code)).toEqual(["MAIN"]);
	const headers = { "x-outlet-id": shop.outlet(shop.kahawa, 1).id };
	const other = await shop.call({ url: at(shop.kahawa, "/outlets"), token, headers });
	expect([other.status, other.body.code]).toEqual([403, "outlet_forbidden"]);
});

test("a person who signs in at a till by PIN cannot administer anything, with any role", async () => {
	const owner = await hire(shop, till, { role: "admin" });
	const token = await signInAt(shop, till, { who: owner, pin: "2580" });
	const pin = { method: "PUT" as const, body: { pin: "1111" }, token };
	const answers = await Promise.all([
		shop.call({ url: at(shop.kahawa, "/terminals"), token }),
		shop.call({ url: at(shop.kahawa, "/config"), token }),
		shop.call({ url: at(shop.kahawa, "/pins/own"), ...pin }),
		shop.call({ url: at(shop.kahawa, `/pins/${owner.sub}`), ...pin }),
	]);
	expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
	expect((await shop.call({ url: at(shop.kahawa, "/staff"), token })).status).toBe(200);
});

test("a till token is rejected at another tenant, and so is a token signed with another key", async () => {
	const token = await signInAt(shop, till, { who: await hire(shop, till), pin: "2580" });
	expect((await me(shop, token, shop.uhai)).status).toBe(404);
	const { kid } = readHeader(token);
	const forger = { ...(await generateSigningKey("ES256")), kid };
	const forged = [
		signJwt(forger, "at+jwt", claimsOf(token)),
		shop.issuer.token(claimsOf(token)),
		`${token.slice(0, -4)}AAAA`,
	];
	for (const one of forged) expect((await me(shop, one)).status).toBe(401);
});

test("a till token expires after twelve hours", async () => {
	const juma = await hire(shop, till);
	const token = await signInAt(shop, till, { who: juma, pin: "2580" });
	shop.later(43_200 - 30);
	expect((await me(shop, token)).status).toBe(200);
	shop.later(120);
	expect((await me(shop, token)).status).toBe(401);
});

test("a wrong till, tenant, person or PIN gives the same error", async () => {
	const juma = await hire(shop, till);
	const stranger = somebody(shop.kahawa, "cashier");
	const unarmed = somebody(shop.kahawa, "cashier");
	const elsewhere = await hire(shop, await openTill(shop, { tenant: shop.uhai }));
	await meet(shop, unarmed);
	const right = { who: juma, pin: "2580" };
	const refused = await Promise.all([
		typePin(shop, { token: "pt_nothing" }, right),
		typePin(shop, till, { ...right, tenant: "uhai" }),
		typePin(shop, till, { ...right, tenant: "unknown-tenant" }),
		typePin(shop, till, { ...right, pin: "0000" }),
		typePin(shop, till, { ...right, who: stranger }),
		typePin(shop, till, { ...right, who: unarmed }),
		typePin(shop, till, { ...right, who: elsewhere }),
	]);
	const said = refused.map(({ status, body: { request_id, ...rest }, headers }) =>
		JSON.stringify([status, rest, headers["www-authenticate"]]),
	);
	expect(new Set(said).size).toBe(1);
	expect(refused[0]).toMatchObject({ status: 401, body: { code: "pin_refused" } });
});

test("sign-in without a PIN or a till is refused after as much work as with a wrong PIN", async () => {
	const juma = await hire(shop, till);
	const attempts = [
		() => typePin(shop, till, { who: juma, pin: "0000" }),
		() => typePin(shop, till, { who: somebody(shop.kahawa, "x"), pin: "0000" }),
		() => typePin(shop, { token: "pt_no" }, { who: juma, pin: "0000" }),
	];
	// Processor time of this process: unlike elapsed time, a busy machine does not change it. The least of some
	// rounds has no garbage collection in it.
	const least = attempts.map(() => Number.POSITIVE_INFINITY);
	for (let round = 0; round < 4; round += 1)
		for (const [place, attempt] of attempts.entries()) {
			const before = process.cpuUsage();
			await attempt();
			const { user, system } = process.cpuUsage(before);
			least[place] = Math.min(least[place] ?? 0, (user + system) / 1000);
		}
	const [wrongPin = 0, noPin, noTill] = least;
	// A hash takes 20 ms of processor time or more; the rest of a request a few.
	for (const other of [noPin, noTill]) expect(other).toBeGreaterThan(wrongPin / 3);
});

test.each([
	["pin", { pin: "" }],
	["user_id", { user_id: "juma" }],
	["terminal", { terminal: "" }],
	["tenant", { tenant: "" }],
])("a sign-in whose %s is malformed is refused and the field is named", async (field, wrong) => {
	const body = {
		tenant: "kahawa",
		terminal: till.token,
		user_id: somebody(shop.kahawa, "x").sub,
		pin: "2580",
	};
	const answer = await shop.call({ method: "POST", url: "/auth/pin", body: { ...body, ...wrong } });
	expect([answer.status, answer.body.field]).toEqual([400, field]);
});

test("a PIN that is valid at one outlet does not work at a till of another", async () => {
	const side = await openTill(shop, { place: 1 });
	const juma = await hire(shop, till);
	await givePin(shop, till, { who: juma, pin: "2580", outlet_id: shop.outlet(shop.kahawa).id });
	expect((await typePin(shop, side, { who: juma, pin: "2580" })).status).toBe(401);
	expect((await typePin(shop, till, { who: juma, pin: "2580" })).status).toBe(200);
});

test("people of a tenant without a current subscription can sign in at its tills", async () => {
	// Its till was made while the subscription was active; here the platform's superuser does it.
	const manager = somebody(shop.lango, "superuser");
	const made = await shop.call({
		method: "POST",
		url: at(shop.duka, "/terminals"),
		token: shop.token(manager),
		body: { outlet_id: shop.outlet(shop.duka).id, name: "Till" },
	});
	expect(made.status).toBe(201);
	const who = somebody(shop.duka, "cashier");
	await meet(shop, who);
	expect((await givePin(shop, { manager }, { who, pin: "4711" })).status).toBe(200);
	const attempt = { who, pin: "4711", tenant: "duka" };
	expect((await typePin(shop, { token: String(made.body.token) }, attempt)).status).toBe(200);
});
