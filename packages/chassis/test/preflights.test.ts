import { afterAll, beforeAll, expect, test } from "vitest";
import { openShop, type Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
	shop = await openShop();
});
afterAll(() => shop.close());

const preflight = (remoteAddress: string) =>
	shop.built.app.inject({
		method: "OPTIONS",
		url: "/orders",
		remoteAddress,
		headers: { origin: "http://localhost:3001", "access-control-request-method": "POST" },
	});

test("preflights past 3,000 a minute of one address are refused with 429, others and calls are answered", async () => {
	for (let index = 0; index < 3_000; index += 1) await preflight("203.0.113.7");
	const refused = await preflight("203.0.113.7");
	expect([refused.statusCode, refused.json().code]).toEqual([429, "rate_limited"]);
	expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
	expect((await preflight("203.0.113.8")).statusCode).toBe(204);
	const call = await shop.built.app.inject({ url: "/orders/1", remoteAddress: "203.0.113.7" });
	expect(call.statusCode).toBe(200);
});
