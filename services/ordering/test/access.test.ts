import { randomUUID } from "node:crypto";
import { callMatrix, routesOfDocument } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cafe, type CallOptions, openCafe } from "./cafe.ts";

let cafe: Cafe;
let coffee: string;
let order: string;
beforeAll(async () => {
	cafe = await openCafe();
	coffee = await cafe.item(cafe.kahawa);
	const body = { lines: [{ item_id: coffee }] };
	const token = cafe.token(cafe.kahawa, "admin");
	order = (await cafe.call({ method: "POST", url: "/api/v1/kahawa/orders", token, body })).body.id;
});
afterAll(() => cafe.close());

type Caller = { name: string; tenant: string; token?: string; headers?: Record<string, string> };
type Route = { method: string; url: string };

/** A request that a route would answer if only the caller may: what is sent where a body is needed. */
const bodies: Readonly<Record<string, () => unknown>> = {
	"PUT /api/v1/:tenant/config": () => ({ key: "theme", value: "dark" }),
	"POST /api/v1/:tenant/catalog/items": () => ({ category: "Tea", name: randomUUID(), price_minor: 1 }),
	"PATCH /api/v1/:tenant/catalog/items/:id": () => ({ price_minor: 2 }),
	"POST /api/v1/:tenant/orders": () => ({ lines: [{ item_id: coffee }] }),
	"PATCH /api/v1/:tenant/orders/:id": () => ({ status: "accepted" }),
};

const callers = (): readonly Caller[] => [
	{ name: "no token", tenant: "kahawa" },
	{ name: "viewer", tenant: "kahawa", token: cafe.token(cafe.kahawa, "viewer") },
	{ name: "customer", tenant: "kahawa", token: cafe.token(cafe.kahawa, "member") },
	{ name: "staff", tenant: "kahawa", token: cafe.token(cafe.kahawa, "staff") },
	{ name: "cashier", tenant: "kahawa", token: cafe.token(cafe.kahawa, "cashier") },
	{ name: "admin", tenant: "kahawa", token: cafe.token(cafe.kahawa, "admin") },
	{ name: "other's", tenant: "kahawa", token: cafe.token(cafe.soko, "admin") },
	{ name: "superuser", tenant: "kahawa", token: cafe.token(cafe.lango, "superuser") },
	{ name: "expired", tenant: "duka", token: cafe.token(cafe.duka, "admin") },
	{
		name: "pending",
		tenant: "kahawa",
		token: cafe.token(cafe.kahawa, "member", { user_status: "pending", roles: [] }),
	},
];

/** Every route of the service with a rule, found by asking the program itself. */
const routes = () => routesOfDocument(cafe.app.swagger(), "/api/");
const request = ({ method, url }: Route, tenant: string): CallOptions => {
	const body = bodies[`${method} ${url}`]?.();
	const id = url.includes("/orders/") ? order : url.includes("/catalog/") ? coffee : "1";
	return {
		method: method as NonNullable<CallOptions["method"]>,
		url: url.replace(":tenant", tenant).replace(":id", id),
		...(body !== undefined && { body }),
	};
};

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	const codes = [
		"config.view",
		"config.manage",
		"catalog.view",
		"catalog.change",
		"orders.view",
		"orders.add",
	];
	const key = await cafe.key(cafe.kahawa, [
		...codes.map((code) => `ordering.${code}`),
		...["catalog:view", "catalog:manage", "orders:read"],
	]);
	const withKey: Caller = { name: "API key", tenant: "kahawa", headers: { "x-api-key": key } };
	const matrix = await callMatrix({
		callers: [...callers(), withKey],
		routes: routes(),
		call: async (route, { tenant, token, headers = {} }) =>
			(await cafe.call({ ...request(route, tenant), token, headers })).status,
	});
	await expect(matrix).toMatchFileSnapshot("access.txt");
});

test("every guarded route with a tenant answers 404 to the administrator of another, by slug and by id", async () => {
	const token = cafe.token(cafe.soko, "admin");
	const guarded = routes().filter((one) => one.url.includes(":tenant") && !isPublic(one));
	const answers = await Promise.all(
		guarded.flatMap((route) =>
			[cafe.kahawa.slug, cafe.kahawa.id].map((tenant) => cafe.call({ ...request(route, tenant), token })),
		),
	);
	expect(answers.length).toBeGreaterThan(15);
	expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
		new Set(["404 tenant_not_found"]),
	);
});

test("every route with an id answers 404 to who names another tenant's thing in their own", async () => {
	const token = cafe.token(cafe.soko, "admin");
	const withId = routes().filter(({ url }) => url.includes(":tenant") && url.includes(":id"));
	const answers = await Promise.all(withId.map((route) => cafe.call({ ...request(route, "soko"), token })));
	expect(answers.map(({ status, body }) => `${status} ${body.code}`).toSorted()).toEqual([
		"404 item_not_found",
		"404 order_not_found",
		"404 order_not_found",
		"404 order_not_found",
	]);
});

/** What anybody reads without a token (spec §4.3). */
const isPublic = ({ method, url }: Route) =>
	method === "GET" && /:tenant\/(menu\/.*|cafes|config)$/.test(url);
