import { ClientError, createIdempotencyKey, explainError, listItems } from "@lango/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collect, identity, openTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
	server = await openTestServer();
});
afterEach(() => server.close());

const hospital = () => ({ service: { name: "hospital", url: `${server.url}/hospital` } });

/** Starts a client whose service has its own base path. */
async function startClient(me: object = identity, options: object = {}) {
	server.on("GET /api/v1/auth/me", { body: me });
	server.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	const client = server.client({ ...hospital(), ...options });
	await client.start();
	expect(client.getState().status).toBe("ready");
	server.asked.length = 0;
	return client;
}

test("a call sends the token and the tenant to the base address of the service", async () => {
	const client = await startClient();
	server.on("POST /hospital/patients", { status: 201, body: { id: "p1" } });
	const body = { name: "Neema" };
	expect(await client.call("/patients", { method: "POST", body, query: { page: 2, x: undefined } })).toEqual({
		id: "p1",
	});
	const [asked] = server.asked;
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

test("a file is returned as it is, and its refusal is an error like any other", async () => {
	const client = await startClient();
	server.on("GET /hospital/report.csv", { body: "day,patients\n" });
	const file = await client.call<Blob>("/report.csv", { isFile: true });
	expect(await file.text()).toContain("day,patients");
	expect(server.asked[0]?.headers["accept"]).toBe("*/*");
	server.on("GET /hospital/report.csv", { status: 400, body: { error: "long", code: "range_too_long" } });
	await expect(client.call("/report.csv", { isFile: true })).rejects.toMatchObject({
		code: "range_too_long",
	});
});

test("each call has its own request id, which is its trace id, and is not marked as sampled", async () => {
	const client = await startClient();
	server.on("GET /hospital/patients", { body: [] });
	await client.call("/patients");
	await client.call("/patients");
	const ids = server.asked.map(({ headers }) => String(headers["x-request-id"]));
	expect(new Set(ids).size).toBe(2);
	for (const [index, id] of ids.entries()) {
		expect(id).toMatch(/^[0-9a-f]{32}$/);
		const { traceparent = "" } = server.asked[index]?.headers ?? {};
		expect(traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
	}
});

test("a request that needs no CORS preflight gets no trace headers", async () => {
	const client = await startClient();
	server.on("GET /hospital/menu", { body: [] });
	await client.call("/menu", { isPublic: true });
	expect(server.asked[0]?.headers).not.toHaveProperty("traceparent");
	expect(server.asked[0]?.headers).not.toHaveProperty("x-request-id");
});

test("a call to the sign-on service sends no tenant headers", async () => {
	const client = await startClient();
	server.on("GET /api/v1/auth/sessions", { body: { items: [], next_cursor: null } });
	await client.call(`${server.url}/api/v1/auth/sessions`);
	expect(server.asked[0]?.headers).toHaveProperty("authorization");
	expect(server.asked[0]?.headers).not.toHaveProperty("x-tenant-id");
});

test("a platform owner's client sends no X-Tenant headers, not even to the service's auth/me", async () => {
	server.on("GET /hospital/patients", { body: [] });
	const client = server.client(hospital());
	server.on("GET /api/v1/auth/me", { body: { ...identity, roles: ["superuser"], is_platform_owner: true } });
	server.on("GET /api/v1/tenants/uhai/outlets", { body: [] });
	await client.start();
	await client.call("/patients", { query: { tenantId: identity.tenant_id } });
	expect(server.asked.length).toBeGreaterThan(3);
	for (const { headers } of server.asked) {
		expect(headers).not.toHaveProperty("x-tenant-id");
		expect(headers).not.toHaveProperty("x-tenant-slug");
	}
});

test("a public read sends no Authorization and no tenant, and needs no session", async () => {
	server.on("GET /hospital/menu/items", { body: ["tea"] });
	const client = await startClient();
	expect(await client.call("/menu/items", { isPublic: true })).toEqual(["tea"]);
	const signedOut = server.client({ ...hospital(), isSignedOut: true });
	expect(await signedOut.call("/menu/items", { isPublic: true })).toEqual(["tea"]);
	for (const { headers } of server.asked) {
		expect(headers).not.toHaveProperty("authorization");
		expect(headers).not.toHaveProperty("x-tenant-id");
	}
});

test("a 401 of a public read is thrown and does not cause a refresh", async () => {
	const client = await startClient();
	server.on("GET /hospital/menu", { status: 401, body: { error: "no", code: "token_invalid" } });
	await expect(client.call("/menu", { isPublic: true })).rejects.toMatchObject({ status: 401 });
	expect(server.lines()).toEqual(["GET /hospital/menu"]);
});

test.each([
	"https://evil.example/hospital/patients",
	"//evil.example/patients",
	"http://127.0.0.1:1/hospital/patients",
])("no token is sent to %s", async (address) => {
	const client = await startClient();
	await expect(client.call(address)).rejects.toThrow(/must not call|Invalid URL/);
	expect(server.asked).toEqual([]);
});

test("a token is not sent to an address beside or above the base path of a service", async () => {
	const client = server.client({ authUrl: `${server.url}/sso`, ...hospital() });
	await expect(client.call(`${server.url}/hospital-evil/x`)).rejects.toThrow("must not call");
	await expect(client.call("/../evil")).rejects.toThrow("must not call");
	await expect(client.call(`${server.url}/hospital/%2e%2e/evil`)).rejects.toThrow("must not call");
	expect(server.asked).toEqual([]);
});

test("the idempotency key is sent, and sent again when the call is retried after a 401", async () => {
	const client = await startClient();
	const replies = [{ status: 401, body: {} }, { body: { ok: true } }];
	server.on("POST /hospital/orders", () => replies.shift() ?? { status: 500 });
	const idempotencyKey = createIdempotencyKey();
	await client.call("/orders", { method: "POST", body: {}, idempotencyKey });
	const keys = server.asked
		.filter(({ line }) => line.includes("orders"))
		.map(({ headers }) => headers["idempotency-key"]);
	expect(keys).toEqual([idempotencyKey, idempotencyKey]);
	expect(createIdempotencyKey()).not.toBe(idempotencyKey);
});

test("an error has the code, message, fields and request id of the response", async () => {
	const client = await startClient();
	const body = {
		error: "The name is missing.",
		code: "invalid_input",
		field: "name",
		in: "body",
		request_id: "r-7",
	};
	server.on("POST /hospital/patients", { status: 400, body, headers: { "retry-after": "12" } });
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

test("an error response in an unknown form has its status and the request id of the header", async () => {
	const client = await startClient();
	server.on("GET /hospital/x", { status: 502, body: "<html>", headers: { "x-request-id": "r-8" } });
	await expect(client.call("/x")).rejects.toMatchObject({ code: "refused", status: 502, requestId: "r-8" });
});

test("invalid JSON, a closed connection and a timeout have different codes", async () => {
	const client = await startClient();
	server.on("GET /hospital/page", { body: "<html>" });
	server.on("GET /hospital/cut", "cut");
	server.on("GET /hospital/hang", "hang");
	await expect(client.call("/page")).rejects.toMatchObject({ code: "unreadable" });
	await expect(client.call("/cut")).rejects.toMatchObject({ code: "unreachable", status: undefined });
	await expect(client.call("/hang", { timeoutMilliseconds: 50 })).rejects.toMatchObject({ code: "late" });
});

test("a caller can abort a call", async () => {
	const client = await startClient();
	server.on("GET /hospital/hang", "hang");
	const controller = new AbortController();
	const asked = expect(client.call("/hang", { signal: controller.signal })).rejects.toThrow("aborted");
	controller.abort(new Error("aborted"));
	await asked;
});

test("a response without a body is undefined", async () => {
	const client = await startClient();
	server.on("DELETE /hospital/patients/1", { status: 204 });
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
])("%j with %i is explained as %s and does not end the session", async (body, status, shown) => {
	const client = await startClient();
	server.now.at += 60_000;
	server.on("POST /hospital/patients", { status, body });
	const error = await client
		.call("/patients", { method: "POST", body: {} })
		.catch((caught: unknown) => caught);
	expect(explainError(error)).toBe(shown);
	expect(client.getState().status).toBe("ready");
	expect(client.left).toEqual([]);
});

test("a list is read page by page up to itemsMax", async () => {
	const client = await startClient();
	server.on("GET /hospital/people", ({ line }) => {
		const at = Number(new URL(line.slice(4), server.url).searchParams.get("cursor") ?? 0);
		return { body: { items: [at, at + 1], next_cursor: at < 6 ? String(at + 2) : null } };
	});
	expect(await collect(listItems<number>(client, "/people", { query: { limit: 2 } }))).toEqual([
		0, 1, 2, 3, 4, 5, 6, 7,
	]);
	expect(server.lines()[1]).toBe("GET /hospital/people?limit=2&cursor=2");
	server.asked.length = 0;
	expect(await collect(listItems<number>(client, "/people", { itemsMax: 3 }))).toEqual([0, 1, 2]);
	expect(server.asked).toHaveLength(2);
});

test("a response that is not a page or repeats its cursor is unreadable", async () => {
	const client = await startClient();
	server.on("GET /hospital/people", { body: [] });
	await expect(collect(listItems(client, "/people"))).rejects.toMatchObject({ code: "unreadable" });
	server.on("GET /hospital/people", { body: { items: [1], next_cursor: "same" } });
	await expect(collect(listItems(client, "/people"))).rejects.toMatchObject({ code: "unreadable" });
});
