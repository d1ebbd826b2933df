import { afterAll, beforeAll, expect, test } from "vitest";
import { openShop, type Shop } from "./shop.ts";

let shop: Shop;
let guarded: Shop;
beforeAll(async () => {
	shop = await openShop();
	guarded = await openShop({}, { METRICS_TOKEN: "scrape-me", LANGO_TRUSTED_PROXIES: "127.0.0.1" });
});
afterAll(async () => {
	await shop.close();
	await guarded.close();
});

const read = ({ built }: Shop, headers: Record<string, string> = {}, remoteAddress = "127.0.0.1") =>
	built.app.inject({ url: "/metrics", headers, remoteAddress });

test.each([
	["none", {}],
	["another", { authorization: "Bearer scrape-mE" }],
	["a longer one", { authorization: "Bearer scrape-me-too" }],
	["another scheme", { authorization: "Basic scrape-me" }],
])("with METRICS_TOKEN, measurements are refused by %s", async (_what, headers) => {
	const answer = await read(guarded, headers);
	expect([answer.statusCode, answer.json().code]).toEqual([401, "token_invalid"]);
	expect(answer.headers["www-authenticate"]).toContain("Bearer");
	expect(answer.body).not.toContain("http_server");
});

test("with METRICS_TOKEN, measurements are read with it from everywhere", async () => {
	const answer = await read(guarded, { authorization: "Bearer scrape-me" }, "203.0.113.9");
	expect([answer.statusCode, answer.headers["content-type"]]).toEqual([
		200,
		expect.stringMatching("text/plain"),
	]);
});

test.each(["127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"])(
	"without METRICS_TOKEN, measurements are read on the same machine: %s",
	async (address) => {
		expect((await read(shop, {}, address)).statusCode).toBe(200);
	},
);

test.each([
	["another machine", {}, "203.0.113.9"],
	["a proxy on the same machine", { "x-forwarded-for": "203.0.113.9" }, "127.0.0.1"],
	["a proxy on the same machine (RFC 7239)", { forwarded: "for=203.0.113.9" }, "127.0.0.1"],
	["a proxy on the same machine (X-Real-IP)", { "x-real-ip": "203.0.113.9" }, "127.0.0.1"],
	["a proxy on the same machine (Via)", { via: "1.1 proxy" }, "127.0.0.1"],
	["a proxy on the same machine (X-Forwarded-Proto)", { "x-forwarded-proto": "https" }, "127.0.0.1"],
])("without METRICS_TOKEN, measurements are refused to %s", async (_what, headers, address) => {
	expect((await read(shop, headers, address)).statusCode).toBe(401);
});

test("attempts to read measurements are limited", async () => {
	for (let one = 0; one < 600; one += 1) await read(guarded, {}, "198.51.100.7");
	expect((await read(guarded, {}, "198.51.100.7")).statusCode).toBe(429);
});
