import { recordApiKey } from "@lango/access";
import { callMatrix, type MatrixRoute, routesOfDocument } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CallOptions, openShop, type Shop, type Somebody, somebody } from "./shop.ts";
import { hire, type OpenTill, openTill, signInAt } from "./till.ts";

let shop: Shop;
let till: OpenTill;
let cashier: Somebody;
beforeAll(async () => {
	shop = await openShop();
	till = await openTill(shop);
	cashier = await hire(shop, till);
});
afterAll(() => shop.close());

/** A kind of caller: with which credential, and at whose address. */
type Caller = { name: string; tenant: string; token?: string; key?: string };

async function callers(): Promise<readonly Caller[]> {
	const token = (tenant: Somebody["tenant"], role: string) => shop.token(somebody(tenant, role));
	const pending = { user_status: "pending", roles: [] };
	return [
		{ name: "no token", tenant: "kahawa" },
		{ name: "viewer", tenant: "kahawa", token: token(shop.kahawa, "member") },
		{ name: "cashier", tenant: "kahawa", token: token(shop.kahawa, "cashier") },
		{ name: "operator", tenant: "kahawa", token: token(shop.kahawa, "staff") },
		{ name: "admin", tenant: "kahawa", token: token(shop.kahawa, "admin") },
		{ name: "other's", tenant: "kahawa", token: token(shop.uhai, "admin") },
		{ name: "superuser", tenant: "kahawa", token: token(shop.lango, "superuser") },
		{ name: "expired", tenant: "duka", token: token(shop.duka, "admin") },
		{
			name: "pending",
			tenant: "kahawa",
			token: shop.token(somebody(shop.kahawa, "member"), pending),
		},
		{ name: "till", tenant: "kahawa", token: await signInAt(shop, till, { who: cashier, pin: "2580" }) },
		{ name: "API key", tenant: "kahawa", key: await keyOfKahawa() },
	];
}

/** A program's key that holds everything of the tills. */
async function keyOfKahawa(): Promise<string> {
	const { id, secretHash, text } = mintApiKey();
	const permissions = ["outlets.view", "staff.view", "terminals.manage", "pins.manage"].map(
		(code) => `pos.${code}`,
	);
	const key = { id, secretHash, tenantId: shop.kahawa.id, name: "test", permissions, now: shop.now() };
	await recordApiKey(shop.database.db, key);
	return text;
}

/** What is sent where a body is needed: a request the route would answer if only the caller may. */
const bodyOf = ({ method, url }: MatrixRoute): unknown => {
	const pin = { tenant: "kahawa", terminal: till.token, user_id: cashier.sub, pin: "2580" };
	const bodies: Readonly<Record<string, unknown>> = {
		"PUT /api/v1/:tenant/pos/config": { key: "theme", value: "dark" },
		"POST /api/v1/:tenant/pos/terminals": { outlet_id: shop.outlet(shop.kahawa).id, name: "Till" },
		"PUT /api/v1/:tenant/pos/pins/own": { pin: "2580" },
		"PUT /api/v1/:tenant/pos/pins/:user_id": { pin: "2580" },
		"POST /api/v1/auth/pin": pin,
		"POST /auth/pin": pin,
	};
	return bodies[`${method} ${url}`];
};

/** What a route that removes something removes: made for each call anew. */
async function idsOf({ method, url }: MatrixRoute): Promise<Record<string, string>> {
	if (method !== "DELETE" || !url.includes("/pos/")) return { ":user_id": other.sub, ":id": "1" };
	if (url.includes("/terminals/")) return { ":id": (await openTill(shop)).id };
	return { ":user_id": (await hire(shop, till)).sub };
}

let other: Somebody;
beforeAll(async () => {
	other = await hire(shop, till);
});

const routes = () => routesOfDocument(shop.app.swagger(), "/").filter(({ url }) => !operation.has(url));
const operation = new Set(["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"]);

async function request(route: MatrixRoute, tenant: string): Promise<CallOptions> {
	const names = { ":tenant": tenant, ...(await idsOf(route)) };
	const url = Object.entries(names).reduce((path, [name, value]) => path.replace(name, value), route.url);
	const body = bodyOf(route);
	const isOfTill = route.url.endsWith("/auth/pin/profile");
	return {
		method: route.method as NonNullable<CallOptions["method"]>,
		url,
		...(body !== undefined && { body }),
		...(isOfTill && { headers: { "x-terminal-token": till.token } }),
	};
}

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	const matrix = await callMatrix({
		callers: await callers(),
		routes: routes(),
		call: async (route, { tenant, token, key }) => {
			const { headers, ...rest } = await request(route, tenant);
			const all = { ...headers, ...(key !== undefined && { "x-api-key": key }) };
			return (await shop.call({ ...rest, token, headers: all })).status;
		},
	});
	await expect(matrix).toMatchFileSnapshot("access.txt");
}, 60_000);

test("every route with a tenant answers 404 to the administrator of another, by slug and by id, and to a till of another", async () => {
	const admin = shop.token(somebody(shop.uhai, "admin"));
	const own = await openTill(shop, { tenant: shop.uhai });
	const who = await hire(shop, own);
	const atTill = await signInAt(shop, own, { who, pin: "2580", tenant: "uhai" });
	const withTenant = routes().filter(
		({ url }) => url.startsWith("/api/v1/:tenant/") && !url.endsWith("/profile"),
	);
	const answers: string[] = [];
	for (const route of withTenant)
		for (const tenant of [shop.kahawa.slug, shop.kahawa.id])
			for (const token of [admin, atTill]) {
				const { status, body } = await shop.call({ ...(await request(route, tenant)), token });
				answers.push(`${status} ${body.code}`);
			}
	expect(answers.length).toBeGreaterThan(30);
	expect(new Set(answers)).toEqual(new Set(["404 tenant_not_found"]));
}, 60_000);

test("by its own address an administrator reaches no till, person or outlet of another tenant", async () => {
	const token = shop.token(somebody(shop.uhai, "admin"));
	const call = (method: "PUT" | "POST" | "DELETE", path: string, body?: object) =>
		shop.call({ method, url: `/api/v1/uhai/pos${path}`, token, ...(body !== undefined && { body }) });
	const outlet_id = shop.outlet(shop.kahawa).id;
	const codes = [
		await call("DELETE", `/terminals/${till.id}`),
		await call("POST", "/terminals", { outlet_id, name: "Till" }),
		await call("PUT", `/pins/${cashier.sub}`, { pin: "1111" }),
		await call("DELETE", `/pins/${cashier.sub}`),
	].map(({ status, body }) => `${status} ${body.code}`);
	expect(codes).toEqual([
		"404 terminal_not_found",
		"404 outlet_not_found",
		"404 user_not_found",
		"404 user_not_found",
	]);
});
