import { randomUUID } from "node:crypto";
import { testSubscription, testTenant } from "@lango/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { open, permit, signedIn } from "../src/index.ts";
import { type Bakery, defineBakery, openBakery, probe } from "./bakery.ts";

const base = "/api/v1/:tenant/bakery";
let bakery: Bakery;
beforeAll(async () => {
	const sold = defineBakery({
		product: "pos",
		permissions: { loaves: ["view"] },
		routes: [
			() => [
				probe("/menu", open("guests read the menu")),
				probe("/loaves", permit("bakery.loaves.view")),
				probe("/loaves", permit("bakery.loaves.view"), { method: "POST" }),
				probe("/other", signedIn(), { product: "hospital" }),
			],
		],
		routesOutsideBase: [() => [probe("/api/v1/:tenant/till", signedIn())]],
	});
	bakery = await openBakery(sold);
});
afterAll(() => bakery.close());
afterEach(() => {
	bakery.subscriptions.brokenWith = undefined;
});

/** A tenant that is not cached, with a plan of these products. */
async function newTenant(products: readonly string[]) {
	const { id, slug } = testTenant(`mkate-${randomUUID().slice(0, 8)}`);
	bakery.issuer.tenants.push(testTenant(slug, { id }));
	bakery.subscriptions.records.set(id, testSubscription(id, { products: [...products] }));
	const claims = { roles: ["admin"], tenant_id: id, tenant_slug: slug };
	return async (method: "GET" | "POST", path: string, more: object = {}) => {
		const token = await bakery.token({ sub: id, ...claims, ...more });
		const answer = await bakery.app.inject({
			method,
			url: path.replace(":tenant", slug),
			headers: { authorization: `Bearer ${token}` },
		});
		return answer.statusCode === 200 ? 200 : answer.json().code;
	};
}
const old = () => Math.floor(Date.now() / 1_000) - 3_600;

test("every guarded route of a service that is sold asks for its product; common and open routes do not", async () => {
	const ask = await newTenant(["ordering"]);
	await expect.poll(() => ask("GET", `${base}/loaves`)).toBe("product_unavailable");
	expect(await ask("POST", `${base}/loaves`)).toBe("product_unavailable");
	expect(await ask("GET", "/api/v1/:tenant/till")).toBe("product_unavailable");
	for (const path of ["/menu", "/auth/me", "/roles", "/config", "/audit"])
		expect([path, await ask("GET", base + path)]).toEqual([path, 200]);
});

test("a route may ask for another product instead", async () => {
	const ask = await newTenant(["hospital"]);
	await expect.poll(() => ask("GET", `${base}/loaves`)).toBe("product_unavailable");
	expect(await ask("GET", `${base}/other`)).toBe(200);
});

test("while the subscription service is away reads pass, and changes are refused with 503", async () => {
	const ask = await newTenant(["pos"]);
	bakery.subscriptions.brokenWith = 500;
	expect(await ask("GET", `${base}/loaves`)).toBe(200);
	expect(await ask("POST", `${base}/loaves`)).toBe("entitlements_unavailable");
});

test("while it is away a read is judged by the products of the token, an empty list being none", async () => {
	const ask = await newTenant(["pos"]);
	bakery.subscriptions.brokenWith = 500;
	const planned = { iat: old(), sub_plan: "STARTER", sub_status: "ACTIVE" };
	expect(await ask("GET", `${base}/loaves`, { ...planned, products: ["ordering"] })).toBe(
		"product_unavailable",
	);
	expect(await ask("GET", `${base}/loaves`, { ...planned, products: ["pos"] })).toBe(200);
	expect(await ask("GET", `${base}/loaves`, { iat: old(), products: [] })).toBe("product_unavailable");
});
