import { testTenant } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open, outletsOf, type Route, route, signedIn } from "../src/index.ts";
import { type Bakery, defineBakery, openBakery, told } from "./bakery.ts";

let bakery: Bakery;
let gate: PromiseWithResolvers<void>;
let arrived: number;

const slow: Route = route({
	method: "GET",
	url: "/slow",
	access: signedIn(),
	schema: {},
	handler: async (request) => {
		outletsOf(request);
		arrived += 1;
		await gate.promise;
		return {};
	},
});
const broken: Route = route({
	method: "GET",
	url: "/broken",
	access: signedIn(),
	schema: {},
	handler: async () => {
		throw new Error("a bug");
	},
});

beforeAll(async () => {
	const routes = () => [slow, broken, told("/me", signedIn()), told("/menu", open("guests read the menu"))];
	bakery = await openBakery(defineBakery({ routes: [routes], permissions: {} }), {
		settings: { BAKERY_TENANT_REQUESTS_MAX: "2" },
	});
});
afterAll(() => bakery.close());

const ask = (path: string, token: string, tenant = "mkate") =>
	bakery.app.inject({
		url: `/api/v1/${tenant}/bakery${path}`,
		headers: token === "" ? {} : { authorization: `Bearer ${token}` },
	});

test("over the bound a tenant's request is refused with 429 tenant_busy, others are answered, and after a response there is room", async () => {
	gate = Promise.withResolvers();
	arrived = 0;
	const mandazi = testTenant("mandazi");
	bakery.issuer.tenants.push(mandazi);
	const token = bakery.token({});
	const other = bakery.issuer.token({ tenant_id: mandazi.id, tenant_slug: "mandazi", email: "b@m.example" });
	const held = [ask("/slow", token), ask("/slow", bakery.token({}))];
	await expect.poll(() => arrived).toBe(2);
	const refused = await ask("/me", token);
	expect([refused.statusCode, refused.headers["retry-after"], refused.json().code]).toEqual([
		429,
		"1",
		"tenant_busy",
	]);
	expect((await ask("/me", other, "mandazi")).statusCode).toBe(200);
	expect((await ask("/menu", "")).statusCode).toBe(200);
	gate.resolve();
	expect((await Promise.all(held)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
	expect((await ask("/me", token)).statusCode).toBe(200);
});

test("refused and failed requests give their slot back", async () => {
	const token = bakery.token({});
	for (let n = 0; n < 3; n += 1) {
		expect((await ask("/broken", token)).statusCode).toBe(500);
		expect((await ask("/nowhere", token)).statusCode).toBe(404);
		expect((await ask("/roles", token)).statusCode).toBe(403);
	}
	expect((await ask("/me", token)).statusCode).toBe(200);
});
