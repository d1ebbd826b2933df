import { setUp } from "@lango/testkit/set-up";
import type { InjectOptions } from "fastify";
import { expect, test } from "vitest";
import { openShop } from "./shop.ts";

const shop = setUp(openShop);

const json = { "content-type": "application/json" };
const order = { name: "bread", count: 2 };
const post = (payload: unknown, headers: Record<string, string> = {}) =>
	shop.built.app.inject({ method: "POST", url: "/orders", payload: payload as object, headers });

test("a valid request is answered", async () => {
	const answer = await post(order);
	expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status: 201, body: order });
});

test.each<[string, unknown, string]>([
	["a missing field", { count: 1 }, "name"],
	["an empty text", { name: "", count: 1 }, "name"],
	["a number sent as text", { name: "a", count: "1" }, "count"],
	["a number too small", { name: "a", count: 0 }, "count"],
	["a null", { name: null, count: 1 }, "name"],
	["an unknown field", { ...order, price: 0 }, "price"],
	["an unknown field deeper down", { ...order, address: { street: "x", country: "KE" } }, "address.country"],
	["a missing field deeper down", { ...order, address: {} }, "address.street"],
	["a list instead of an object", [order], "body"],
])("%s in a body is refused, and named", async (_what, payload, field) => {
	const answer = await post(payload);
	expect({ status: answer.statusCode, ...answer.json() }).toEqual({
		status: 400,
		error: expect.stringMatching(/\.$/),
		code: "invalid_input",
		field,
		in: "body",
		request_id: expect.any(String),
	});
});

test.each([
	["/orders/seven", "id", "params"],
	["/orders/7?full=maybe", "full", "query"],
])("%s is refused, and what is wrong with it named", async (url, field, place) => {
	const answer = await shop.built.app.inject(url);
	expect({ status: answer.statusCode, body: answer.json() }).toMatchObject({
		status: 400,
		body: { field, in: place },
	});
});

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test.each([
	["the character U+0000", '{"name":"a\\u0000","count":1}', "name"],
	["half a surrogate pair", '{"name":"\\ud800","count":1}', "name"],
	["the character U+0000 in a name of a member", '{"name":"a","count":1,"\\u0000":1}', "body"],
	["a number beyond all numbers", '{"name":"a","count":1e400}', "count"],
	["a body nested very deep", `{"name":${nested(30_000)},"count":1}`, "name"],
])("%s is refused with its field", async (_what, payload, field) => {
	const answer = await shop.built.app.inject({ method: "POST", url: "/orders", payload, headers: json });
	expect({ status: answer.statusCode, body: answer.json() }).toMatchObject({
		status: 400,
		body: { code: "invalid_input", field, in: "body" },
	});
});

test.each([
	["/orders/%00", "id", "params"],
	["/orders/7?full=%00", "full", "query"],
])("the character U+0000 in %s is refused", async (url, field, place) => {
	const answer = await shop.built.app.inject(url);
	expect({ status: answer.statusCode, body: answer.json() }).toMatchObject({
		status: 400,
		body: { error: expect.stringContaining("U+0000"), field, in: place },
	});
});

test("numbers and booleans in addresses are parsed", async () => {
	expect((await shop.built.app.inject("/orders/7?full=true")).json()).toEqual({ id: 7, full: true });
});

const atBody = { field: "body", in: "body" };

test.each<{ what: string; request: InjectOptions; status: number; code: string; more?: object }>([
	{
		what: "malformed JSON",
		request: { method: "POST", url: "/orders", payload: '{"name":', headers: json },
		status: 400,
		code: "malformed_body",
		more: atBody,
	},
	{
		what: "no body",
		request: { method: "POST", url: "/orders", headers: json },
		status: 400,
		code: "malformed_body",
		more: atBody,
	},
	{
		what: "another kind of body",
		request: { method: "POST", url: "/orders", payload: "<a/>", headers: { "content-type": "text/xml" } },
		status: 415,
		code: "media_type_unsupported",
	},
	{
		what: "a body of more than 64 KB",
		request: { method: "POST", url: "/orders", payload: { name: "x".repeat(70_000), count: 1 } },
		status: 413,
		code: "body_too_large",
		more: {
			error: "The body is larger than 64 KB, the limit of this address.",
			limit_bytes: 65_536,
		},
	},
	{ what: "an address that does not exist", request: { url: "/nowhere" }, status: 404, code: "not_found" },
	{
		what: "another method",
		request: { method: "DELETE", url: "/orders/7" },
		status: 405,
		code: "method_not_allowed",
	},
])("$what is refused in the one form", async ({ request, status, code, more }) => {
	const answer = await shop.built.app.inject(request);
	expect(answer.statusCode).toBe(status);
	expect(answer.json()).toEqual({
		error: expect.any(String),
		code,
		...more,
		request_id: answer.headers["x-request-id"],
	});
	expect(answer.headers["cache-control"]).toBe("no-store");
});

test("an unsupported method gets 405 with the supported ones", async () => {
	const answer = await shop.built.app.inject({ method: "DELETE", url: "/orders/7" });
	expect(answer.headers.allow?.toString().split(", ").sort()).toEqual(["GET", "HEAD"]);
});

test("a failure of a service has its code, its fields and its headers", async () => {
	const answer = await shop.built.app.inject("/sold-out");
	expect({ status: answer.statusCode, ...answer.json() }).toMatchObject({
		status: 409,
		error: "The last one is gone.",
		code: "sold_out",
		left: 0,
	});
	expect(answer.headers["retry-after"]).toBe("60");
});

test("the text of a bug is logged and not sent to the caller", async () => {
	const answer = await shop.built.app.inject("/bug");
	expect(answer.statusCode).toBe(500);
	expect(answer.json()).toEqual({
		error: expect.any(String),
		code: "internal",
		request_id: expect.any(String),
	});
	expect(answer.body).not.toMatch(/hunter2|Error|\.ts|at /);
	const line = shop.logged.find((text) => text.includes("hunter2"));
	expect(JSON.parse(line ?? "{}")).toMatchObject({
		level: 50,
		err: { message: expect.stringContaining("hunter2"), stack: expect.any(String) },
	});
});

test("a valid request id is returned, also with an error, and an invalid one is replaced", async () => {
	const ask = (id: string) => shop.built.app.inject({ url: "/nowhere", headers: { "x-request-id": id } });
	const kept = await ask("till-7:42");
	expect([kept.headers["x-request-id"], kept.json().request_id]).toEqual(["till-7:42", "till-7:42"]);
	for (const id of ["a b", "x".repeat(65), "<script>", ""])
		expect((await ask(id)).headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
});
