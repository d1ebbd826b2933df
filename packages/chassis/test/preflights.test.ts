import { setUp } from "@lango/testkit/set-up";
import Fastify, { type FastifyInstance } from "fastify";
import { expect, test } from "vitest";
import { crossOriginWith } from "../src/http/cross-origin.ts";
import { installFailures } from "../src/http/render-failure.ts";
import { installPipeline } from "../src/http/run-pipeline.ts";
import { limitPreflightsWith } from "../src/limits/limit-preflights.ts";
import { createRefusalLog } from "../src/observe/log-refusals.ts";
import { openShop } from "./shop.ts";

const preflight = (app: FastifyInstance, remoteAddress: string) =>
	app.inject({
		method: "OPTIONS",
		url: "/orders",
		remoteAddress,
		headers: { origin: "http://localhost:3001", "access-control-request-method": "POST" },
	});

const shop = setUp(openShop);

test("every service limits preflights, 3,000 a minute by address", async () => {
	const { headers, statusCode } = await preflight(shop.built.app, "203.0.113.7");
	expect(statusCode).toBe(204);
	expect(headers).toMatchObject({ "x-ratelimit-limit": "3000", "x-ratelimit-remaining": "2999" });
});

test("preflights past the limit are refused with 429; those of others and calls are answered", async () => {
	const app: FastifyInstance = Fastify();
	const answerUnknownAddress = installFailures(app, createRefusalLog());
	const limited = limitPreflightsWith({ now: () => new Date(), limit: { requests: 3, windowSeconds: 60 } });
	const crossing = crossOriginWith({ headers: [], isAllowed: async () => true, publicPaths: new Set() });
	installPipeline(app, { entrance: [limited, crossing], pipeline: [], answerUnknownAddress });
	app.get("/orders", async () => ({}));
	for (let index = 0; index < 3; index += 1)
		expect((await preflight(app, "203.0.113.7")).statusCode).toBe(204);
	const refused = await preflight(app, "203.0.113.7");
	expect([refused.statusCode, refused.json().code]).toEqual([429, "rate_limited"]);
	expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
	expect((await preflight(app, "203.0.113.8")).statusCode).toBe(204);
	expect((await app.inject({ url: "/orders", remoteAddress: "203.0.113.7" })).statusCode).toBe(200);
	await app.close();
});
