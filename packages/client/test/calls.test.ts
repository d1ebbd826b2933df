import { ClientError, createIdempotencyKey, explainError, listItems } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collect, identity, openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeEach(async () => {
	scene = await openScene();
});
afterEach(() => scene.close());

const hospital = () => ({ service: { name: "hospital", url: `${scene.url}/hospital` } });

/** A front end whose service answers below a path of its own, in. */
async function enter(me: object = identity, options: object = {}) {
	scene.on("GET /api/v1/auth/me", { body: me });
	scene.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	const client = scene.client({ ...hospital(), ...options });
	await client.start();
	expect(client.getState().status).toBe("ready");
	scene.asked.length = 0;
	return client;
}

test("a call carries the token and the tenant, and asks at the service's own base", async () => {
	const client = await enter();
	scene.on("POST /hospital/patients", { status: 201, body: { id: "p1" } });
	const body = { name: "Neema" };
	expect(await client.call("/patients", { method: "POST", body, query: { page: 2, x: undefined } })).toEqual({
		id: "p1",
	});
	const [asked] = scene.asked;
	expect(asked?.line).toBe("POST /hospital/patients?page=2");
	expect(JSON.parse(asked?.body ?? "")).toEqual(body);
	expect(asked?.headers).toMatchObject({
		authorization: expect.stringMatching(/^Bearer \S+$/),
		"content-type": "application/json",
		"x-tenant-id": identity.tenant_id,
		"x-tenant-slug": "uhai",
	});
	expect(asked?.headers).not.toHaveProperty("cookie");
});

test("each call has an id of its own, which is that of its trace, and says that nothing is recorded here", async () => {
	const client = await enter();
	scene.on("GET /hospital/patients", { body: [] });
	await client.call("/patients");
	await client.call("/patients");
	const ids = scene.asked.map(({ headers }) => String(headers["x-request-id"]));
	expect(new Set(ids).size).toBe(2);
	for (const [index, id] of ids.entries()) {
		expect(id).toMatch(/^[0-9a-f]{32}$/);
		const { traceparent = "" } = scene.asked[index]?.headers ?? {};
		expect(traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
	}
});

test("what a browser may send without asking first stays without headers of ours", async () => {
	const client = await enter();
	scene.on("GET /hospital/menu", { body: [] });
	await client.call("/menu", { isPublic: true });
	expect(scene.asked[0]?.headers).not.toHaveProperty("traceparent");
	expect(scene.asked[0]?.headers).not.toHaveProperty("x-request-id");
});

test("the sign-on service is told no tenant: it is no tenant's", async () => {
	const client = await enter();
	scene.on("GET /api/v1/auth/sessions", { body: { items: [], next_cursor: null } });
	await client.call(`${scene.url}/api/v1/auth/sessions`);
	expect(scene.asked[0]?.headers).toHaveProperty("authorization");
	expect(scene.asked[0]?.headers).not.toHaveProperty("x-tenant-id");
});

test("a platform owner's front end sends no X-Tenant headers, at its own service's auth/me neither", async () => {
	scene.on("GET /hospital/patients", { body: [] });
	const client = scene.client(hospital());
	scene.on("GET /api/v1/auth/me", { body: { ...identity, roles: ["superuser"], is_platform_owner: true } });
	scene.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	await client.start();
	await client.call("/patients", { query: { tenantId: identity.tenant_id } });
	expect(scene.asked.length).toBeGreaterThan(3);
	for (const { headers } of scene.asked) {
		expect(headers).not.toHaveProperty("x-tenant-id");
		expect(headers).not.toHaveProperty("x-tenant-slug");
	}
});

test("a public read carries no Authorization and no tenant, and needs nobody to be signed in", async () => {
	scene.on("GET /hospital/menu/items", { body: ["tea"] });
	const client = await enter();
	expect(await client.call("/menu/items", { isPublic: true })).toEqual(["tea"]);
	const stranger = scene.client({ ...hospital(), isStranger: true });
	expect(await stranger.call("/menu/items", { isPublic: true })).toEqual(["tea"]);
	for (const { headers } of scene.asked) {
		expect(headers).not.toHaveProperty("authorization");
		expect(headers).not.toHaveProperty("x-tenant-id");
	}
});

test("a 401 of a public read is told and changes nothing", async () => {
	const client = await enter();
	scene.on("GET /hospital/menu", { status: 401, body: { error: "no", code: "token_invalid" } });
	await expect(client.call("/menu", { isPublic: true })).rejects.toMatchObject({ status: 401 });
	expect(scene.lines()).toEqual(["GET /hospital/menu"]);
});

test.each([
	"https://evil.example/hospital/patients",
	"//evil.example/patients",
	"http://127.0.0.1:1/hospital/patients",
])("no token is sent to %s", async (address) => {
	const client = await enter();
	await expect(client.call(address)).rejects.toThrow(/was not made for|Invalid URL/);
	expect(scene.asked).toEqual([]);
});

test("a base of a service is a whole path: its neighbour gets no token, and what climbs out neither", async () => {
	const client = scene.client({ authUrl: `${scene.url}/sso`, ...hospital() });
	await expect(client.call(`${scene.url}/hospital-evil/x`)).rejects.toThrow("was not made for");
	await expect(client.call("/../evil")).rejects.toThrow("was not made for");
	await expect(client.call(`${scene.url}/hospital/%2e%2e/evil`)).rejects.toThrow("was not made for");
	expect(scene.asked).toEqual([]);
});

test("an idempotency key goes along, also when the call is sent again after a 401", async () => {
	const client = await enter();
	const replies = [{ status: 401, body: {} }, { body: { ok: true } }];
	scene.on("POST /hospital/orders", () => replies.shift() ?? { status: 500 });
	const idempotencyKey = createIdempotencyKey();
	await client.call("/orders", { method: "POST", body: {}, idempotencyKey });
	const keys = scene.asked
		.filter(({ line }) => line.includes("orders"))
		.map(({ headers }) => headers["idempotency-key"]);
	expect(keys).toEqual([idempotencyKey, idempotencyKey]);
	expect(createIdempotencyKey()).not.toBe(idempotencyKey);
});

test("a refusal has its code, its words, its fields and the request's id", async () => {
	const client = await enter();
	const body = {
		error: "The name is missing.",
		code: "invalid_input",
		field: "name",
		in: "body",
		request_id: "r-7",
	};
	scene.on("POST /hospital/patients", { status: 400, body, headers: { "retry-after": "12" } });
	const error = await client
		.call("/patients", { method: "POST", body: {} })
		.catch((caught: unknown) => caught);
	expect(error).toBeInstanceOf(ClientError);
	expect(error).toMatchObject({
		code: "invalid_input",
		message: "The name is missing.",
		status: 400,
		requestId: "r-7",
		retryAfterSeconds: 12,
		body: { field: "name", in: "body" },
	});
});

test("a refusal in no known form has its status and the request's id from the header", async () => {
	const client = await enter();
	scene.on("GET /hospital/x", { status: 502, body: "<html>", headers: { "x-request-id": "r-8" } });
	await expect(client.call("/x")).rejects.toMatchObject({ code: "refused", status: 502, requestId: "r-8" });
});

test("an answer that is no JSON, one that is cut off and one that is late are told apart", async () => {
	const client = await enter();
	scene.on("GET /hospital/page", { body: "<html>" });
	scene.on("GET /hospital/cut", "cut");
	scene.on("GET /hospital/hang", "hang");
	await expect(client.call("/page")).rejects.toMatchObject({ code: "unreadable" });
	await expect(client.call("/cut")).rejects.toMatchObject({ code: "unreachable", status: undefined });
	await expect(client.call("/hang", { timeoutMilliseconds: 50 })).rejects.toMatchObject({ code: "late" });
});

test("a caller may give a call up", async () => {
	const client = await enter();
	scene.on("GET /hospital/hang", "hang");
	const controller = new AbortController();
	const asked = expect(client.call("/hang", { signal: controller.signal })).rejects.toThrow("enough");
	controller.abort(new Error("enough"));
	await asked;
});

test("an answer without a body is undefined", async () => {
	const client = await enter();
	scene.on("DELETE /hospital/patients/1", { status: 204 });
	expect(await client.call("/patients/1", { method: "DELETE" })).toBeUndefined();
});

test.each([
	[{ error: "no", code: "subscription_inactive", upgrade: true }, 403, "upgrade"],
	[{ error: "no", upgrade: true }, 403, "upgrade"],
	[{ error: "no", code: "subscription_inactive" }, 403, "upgrade"],
	[{ error: "no", code: "feature_unavailable" }, 403, "plan"],
	[{ error: "no", code: "product_unavailable" }, 403, "plan"],
	[{ error: "no", code: "limit_reached" }, 403, "plan"],
	[{ error: "forbidden", code: "forbidden" }, 403, "unauthorized"],
	[{ error: "forbidden" }, 403, "unauthorized"],
	[{ error: "no", code: "account_pending" }, 403, "pending"],
	[{ error: "no", code: "invalid_input" }, 400, "refused"],
	[{ error: "no", code: "rate_limited" }, 429, "unavailable"],
	[{ error: "no", code: "internal" }, 500, "unavailable"],
])("%j with %i is to be shown as %s, and signs nobody out", async (body, status, shown) => {
	const client = await enter();
	scene.now.at += 60_000;
	scene.on("POST /hospital/patients", { status, body });
	const error = await client
		.call("/patients", { method: "POST", body: {} })
		.catch((caught: unknown) => caught);
	expect(explainError(error)).toBe(shown);
	expect(client.getState().status).toBe("ready");
	expect(client.left).toEqual([]);
});

test("a list is read page by page, as far as it is wanted", async () => {
	const client = await enter();
	scene.on("GET /hospital/people", ({ line }) => {
		const at = Number(new URL(line.slice(4), scene.url).searchParams.get("cursor") ?? 0);
		return { body: { items: [at, at + 1], next_cursor: at < 6 ? String(at + 2) : null } };
	});
	expect(await collect(listItems<number>(client, "/people", { query: { limit: 2 } }))).toEqual([
		0, 1, 2, 3, 4, 5, 6, 7,
	]);
	expect(scene.lines()[1]).toBe("GET /hospital/people?limit=2&cursor=2");
	scene.asked.length = 0;
	expect(await collect(listItems<number>(client, "/people", { itemsMax: 3 }))).toEqual([0, 1, 2]);
	expect(scene.asked).toHaveLength(2);
});

test("a list that is no page, or goes round in circles, is refused", async () => {
	const client = await enter();
	scene.on("GET /hospital/people", { body: [] });
	await expect(collect(listItems(client, "/people"))).rejects.toMatchObject({ code: "unreadable" });
	scene.on("GET /hospital/people", { body: { items: [1], next_cursor: "same" } });
	await expect(collect(listItems(client, "/people"))).rejects.toMatchObject({ code: "unreadable" });
});
