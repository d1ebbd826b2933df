import { once } from "node:events";
import { connect } from "node:net";
import { testTenant } from "@lango/testkit";
import Type from "typebox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open, outletsOf, type Route, route, signedIn } from "../src/index.ts";
import { type Bakery, defineBakery, openBakery, probe } from "./bakery.ts";

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

const bodied: Route = route({
	method: "POST",
	url: "/bodied",
	access: signedIn(),
	subscription: { exempt: "a test" },
	schema: { body: Type.Object({}) },
	handler: async (request) => {
		outletsOf(request);
		arrived += 1;
		await gate.promise;
		return {};
	},
});

beforeAll(async () => {
	const routes = () => [
		slow,
		broken,
		bodied,
		probe("/me", signedIn()),
		probe("/menu", open("guests read the menu")),
	];
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

/** A request whose headers have arrived and whose body has not. */
async function beginBody(token: string) {
	const address = bakery.app.server.address();
	const port = typeof address === "object" ? address?.port : undefined;
	const socket = connect({ port: Number(port), host: "127.0.0.1" });
	const head = [
		"POST /api/v1/mkate/bakery/bodied HTTP/1.1",
		"host: x",
		"connection: close",
		`authorization: Bearer ${token}`,
		"content-type: application/json",
		"content-length: 2",
		// The server says that it has read the headers.
		"expect: 100-continue",
	];
	let answer = "";
	const closed = once(socket, "close");
	socket.on("error", () => undefined).setEncoding("utf8");
	socket.write(`${head.join("\r\n")}\r\n\r\n`);
	expect((await once(socket, "data"))[0]).toMatch("100 Continue");
	socket.on("data", (chunk) => {
		answer += chunk;
	});
	const finish = () => void socket.write("{}");
	const abort = () => void socket.destroy();
	return { finish, abort, status: closed.then(() => answer.split(" ", 2)[1]) };
}

test("a request holds no slot while its body arrives, and takes one when it has arrived", async () => {
	gate = Promise.withResolvers();
	arrived = 0;
	await bakery.app.listen({ port: 0, host: "127.0.0.1" });
	const token = bakery.token({});
	expect((await ask("/me", token)).statusCode).toBe(200);
	const slowBodies = await Promise.all(Array.from({ length: 6 }, () => beginBody(token)));
	for (let n = 0; n < 3; n += 1) expect((await ask("/me", token)).statusCode).toBe(200);
	for (const { abort } of slowBodies.slice(3)) abort();
	for (const { finish } of slowBodies.slice(0, 3)) finish();
	await expect.poll(() => arrived).toBe(2);
	expect((await ask("/me", token)).statusCode).toBe(429);
	gate.resolve();
	const statuses = await Promise.all(slowBodies.slice(0, 3).map(({ status }) => status));
	expect(statuses.toSorted()).toEqual(["200", "200", "429"]);
	for (let n = 0; n < 3; n += 1) expect((await ask("/me", token)).statusCode).toBe(200);
	const both = [ask("/slow", token), ask("/slow", token)];
	expect((await Promise.all(both)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
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
