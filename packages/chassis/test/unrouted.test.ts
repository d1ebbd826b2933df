import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openShop } from "./shop.ts";

const shop = setUp(openShop);

let networks = 0;
/** A network address that no other test uses. */
const newcomer = () => {
	networks += 1;
	return `192.0.2.${networks}`;
};
const ask = (url: string, remoteAddress = newcomer()) => shop.built.app.inject({ url, remoteAddress });

test.each([201, 5_000])("a path parameter of %i characters is refused, and named", async (length) => {
	const answer = await ask(`/orders/${"7".repeat(length)}`);
	expect({ status: answer.statusCode, ...answer.json() }).toEqual({
		status: 400,
		error: "id is too long: a path parameter has at most 200 characters.",
		code: "invalid_input",
		field: "id",
		in: "params",
		request_id: answer.headers["x-request-id"],
	});
});

test.each(["/orders/%zz", "/%", "/orders/%ff", "/orders/%c3%28", "/orders/%ed%a0%80"])(
	"%s cannot be decoded: refused, logged with its path, and sent with the headers of every answer",
	async (url) => {
		const answer = await ask(url);
		expect({ status: answer.statusCode, ...answer.json() }).toMatchObject({
			status: 400,
			code: "invalid_input",
			field: "path",
			in: "path",
		});
		expect(answer.headers["x-content-type-options"]).toBe("nosniff");
		expect(shop.logged.some((line) => line.includes(JSON.stringify(url)))).toBe(true);
	},
);

test.each([
	["an address without a route", "/nowhere", 404],
	["the reference", "/docs", 200],
	["the OpenAPI document", "/openapi.json", 200],
	["a path that cannot be decoded", "/orders/%zz", 400],
	["a path parameter that is too long", `/orders/${"7".repeat(201)}`, 400],
])("%s is limited to 600 requests a minute for each network address", async (_what, url, status) => {
	const stranger = newcomer();
	for (let one = 0; one < 600; one += 1) expect((await ask(url, stranger)).statusCode).toBe(status);
	const refused = await ask(url, stranger);
	expect([refused.statusCode, refused.json().code]).toEqual([429, "rate_limited"]);
	expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
	expect((await ask(url)).statusCode).toBe(status);
});

test("probes and declared routes are not counted with them", async () => {
	const caller = newcomer();
	for (let one = 0; one < 700; one += 1) expect((await ask("/healthz", caller)).statusCode).toBe(200);
	expect((await ask("/docs", caller)).statusCode).toBe(200);
});

test("behind a proxy that is trusted, the address that it forwards is counted", async () => {
	const trusted = await openShop({}, { LANGO_TRUSTED_PROXIES: "127.0.0.1" });
	const from = (ip: string) =>
		trusted.built.app.inject({ url: "/orders/%zz", headers: { "x-forwarded-for": ip } });
	try {
		for (let one = 0; one < 600; one += 1) await from("198.51.100.1");
		const statuses = [
			await from("198.51.100.1"),
			await from("198.51.100.2"),
			await from("no address"),
			await from("198.51.100.1, no address"),
		];
		expect(statuses.map(({ statusCode }) => statusCode)).toEqual([429, 400, 400, 400]);
	} finally {
		await trusted.close();
	}
});
