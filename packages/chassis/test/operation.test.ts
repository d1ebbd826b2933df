import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventMigrations } from "@lango/events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShop, type Shop } from "./shop.ts";

let shop: Shop;
let lacks: Error | undefined;
const folder = mkdtempSync(join(tmpdir(), "lango-operation-"));
beforeAll(async () => {
	cpSync(eventMigrations.folder, folder, { recursive: true });
	shop = await openShop({
		migrations: [{ ...eventMigrations, folder }],
		dependencies: async (context) => {
			context.readyWhen("stock", async () => {
				if (lacks !== undefined) throw lacks;
			});
			return {};
		},
	});
});
afterAll(async () => {
	await shop.close();
	rmSync(folder, { recursive: true, force: true });
});

test("health and readiness respond with 200", async () => {
	expect((await shop.built.app.inject("/healthz")).json()).toEqual({ status: "ok" });
	const ready = await shop.built.app.inject("/readyz");
	expect({ status: ready.statusCode, ...ready.json() }).toEqual({
		status: "ok",
		checks: { database: "ok", migrations: "ok", bus: "ok", stock: "ok" },
	});
	expect(ready.statusCode).toBe(200);
});

test("readiness names a failed check, and only the log has the reason", async () => {
	lacks = new Error("hunter2 at 10.0.0.7");
	const answer = await shop.built.app.inject("/readyz");
	lacks = undefined;
	expect(answer.statusCode).toBe(503);
	expect(answer.json()).toEqual({
		status: "unavailable",
		checks: { database: "ok", migrations: "ok", bus: "ok", stock: "unavailable" },
	});
	expect(shop.logged.some((line) => line.includes("10.0.0.7"))).toBe(true);
});

test("the check of migrations needs no files after the start", async () => {
	rmSync(folder, { recursive: true });
	const answer = await shop.built.app.inject("/readyz");
	expect([answer.statusCode, answer.json().checks.migrations]).toEqual([200, "ok"]);
});

test("measurements are exported for Prometheus, by route and not by address", async () => {
	await shop.built.app.inject("/orders/7");
	const { body, headers } = await shop.built.app.inject("/metrics");
	expect(headers["content-type"]).toMatch(/^text\/plain/);
	expect(body).toMatch(
		/http_server_request_duration_seconds_count\{[^}]*http_route="\/orders\/:id"[^}]*\} \d+/,
	);
	expect(body).not.toContain("/orders/7");
	expect(body).toMatch(/process_memory_usage_bytes/);
	expect(body, "no line of a service without a name").not.toContain("unknown_service");
});

test("the reference is generated from the routes, as OpenAPI and as a page without scripts", async () => {
	const document = (await shop.built.app.inject("/openapi.json")).json();
	expect(document.openapi).toBe("3.1.0");
	expect(Object.keys(document.paths)).toEqual(
		expect.arrayContaining(["/orders", "/orders/{id}", "/healthz"]),
	);
	expect(document.paths["/orders"].post).toMatchObject({ summary: "Orders a thing", security: [] });
	const page = await shop.built.app.inject("/docs");
	expect(page.headers["content-type"]).toMatch(/^text\/html/);
	expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
	expect(page.body).toContain("Orders a thing");
	expect(page.body).not.toContain("<script");
});

test("secrets are redacted in the log, and queries are not logged", async () => {
	const headers = { authorization: "Bearer hunter2", cookie: "lango=hunter2" };
	await shop.built.app.inject({ url: "/log?code=hunter2", headers });
	const lines = shop.logged.filter((line) => line.includes('"logged"') || line.includes('"/log"'));
	expect(lines).toHaveLength(2);
	expect(lines.join("")).not.toContain("hunter2");
	expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({
		headers: { authorization: "[redacted]", cookie: "[redacted]" },
		password: "[redacted]",
		body: { client_secret: "[redacted]" },
	});
});

test.each(["http://localhost:3001", "http://shop.example"])(
	"a browser at %s may call from there",
	async (origin) => {
		const answer = await shop.built.app.inject({
			method: "OPTIONS",
			url: "/orders",
			headers: {
				origin,
				"access-control-request-method": "POST",
				"access-control-request-headers": "authorization,x-tenant-id,x-outlet-id",
			},
		});
		expect(answer.statusCode).toBe(204);
		expect(answer.headers).toMatchObject({
			"access-control-allow-origin": origin,
			"access-control-allow-credentials": "true",
			"access-control-max-age": "300",
			"access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
			"access-control-allow-headers":
				"Accept, Authorization, Content-Type, X-Tenant-ID, X-Outlet-ID, X-Request-ID, traceparent, tracestate",
			vary: expect.stringContaining("Origin"),
		});
		const call = await shop.built.app.inject({ url: "/orders/1", headers: { origin } });
		expect(call.headers["access-control-expose-headers"]).toContain("X-Request-ID");
	},
);

test.each(["http://localhost:3001.evil.example", "http://localhost:4001", "null", "https://shop.example"])(
	"a browser at %s may not",
	async (origin) => {
		const headers = { origin, "access-control-request-method": "POST" };
		const answer = await shop.built.app.inject({ method: "OPTIONS", url: "/orders", headers });
		expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
	},
);
