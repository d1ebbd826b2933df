import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { setUpService } from "./test-service.ts";

const service = setUpService();

const readPaths = async () =>
	(
		(await service.app.inject("/openapi.json")).json() as {
			paths: Record<string, Record<string, Operation>>;
		}
	).paths;

/** Every route of the service, in order: add a new one here. */
const addresses = [
	"/api/v1/add-ons",
	"/api/v1/admin/add-ons",
	"/api/v1/admin/add-ons/{code}/versions",
	"/api/v1/admin/add-ons/{code}/versions/{version}/retire",
	"/api/v1/admin/audit",
	"/api/v1/admin/catalogue",
	"/api/v1/admin/plans",
	"/api/v1/admin/plans/{code}/versions",
	"/api/v1/admin/plans/{code}/versions/{version}/retire",
	"/api/v1/admin/tenants/{tenant_id}/grants",
	"/api/v1/admin/tenants/{tenant_id}/overrides",
	"/api/v1/plans",
	"/api/v1/platform/dead-jobs",
	"/api/v1/platform/dead-jobs/{id}/redrive",
	"/api/v1/platform/dead-letters",
	"/api/v1/platform/dead-letters/{id}",
	"/api/v1/platform/dead-letters/{id}/redrive",
	"/api/v1/sandbox/billing/{tenant_id}",
	"/api/v1/tenants/{tenant_id}/features/{code}",
	"/api/v1/tenants/{tenant_id}/limits",
	"/api/v1/tenants/{tenant_id}/overage",
	"/api/v1/tenants/{tenant_id}/subscription",
	"/api/v1/tenants/{tenant_id}/subscription/add-ons",
	"/api/v1/tenants/{tenant_id}/subscription/audit",
	"/api/v1/tenants/{tenant_id}/subscription/billing",
	"/api/v1/tenants/{tenant_id}/subscription/bills",
	"/api/v1/tenants/{tenant_id}/subscription/cancel",
	"/api/v1/tenants/{tenant_id}/subscription/change",
	"/api/v1/tenants/{tenant_id}/subscription/checkout",
	"/api/v1/tenants/{tenant_id}/subscription/payments",
	"/api/v1/tenants/{tenant_id}/subscription/payments/{id}",
	"/api/v1/tenants/{tenant_id}/subscription/pending-change",
	"/api/v1/tenants/{tenant_id}/subscription/quote",
	"/api/v1/tenants/{tenant_id}/subscription/resume",
	"/api/v1/tenants/{tenant_id}/usage",
	"/api/v1/tenants/{tenant_id}/usage/consume",
	"/api/v1/tenants/{tenant_id}/usage/consume/{id}",
	"/api/v1/tenants/{tenant_id}/usage/{metric}",
	"/api/v1/test-clock/{tenant_id}",
];

type Operation = { summary?: string; security: unknown[]; responses: Record<string, unknown> };

describe("the reference", () => {
	test("has a summary, response schemas and errors for every route", async () => {
		const paths = await readPaths();
		const own = Object.entries(paths).filter(([path]) => path.startsWith("/api/v1/"));
		expect(own.map(([path]) => path).sort()).toEqual(addresses);
		for (const operation of own.flatMap(([, operations]) => Object.values(operations))) {
			expect(operation.summary).toMatch(/\w+ \w+/);
			const statuses = Object.keys(operation.responses);
			expect(statuses).toEqual(
				expect.arrayContaining([expect.stringMatching(/^20\d$/), expect.stringMatching(/^4/)]),
			);
		}
	});
});

test("no route with a tenant shows anything of another tenant to its administrator", async () => {
	const token = service.tokenOf(randomUUID(), { roles: ["admin"] });
	const answers: string[] = [];
	for (const [path, operations] of Object.entries(await readPaths())) {
		if (!path.includes("{tenant_id}")) continue;
		for (const method of Object.keys(operations)) {
			const { statusCode } = await service.app.inject({
				method: method.toUpperCase() as "GET",
				url: path.replace("{tenant_id}", randomUUID()),
				headers: { authorization: `Bearer ${token}` },
			});
			answers.push(`${method} ${path} ${statusCode}`);
		}
	}
	expect(answers.filter((line) => !line.endsWith(" 404"))).toEqual([]);
	expect(answers).toContain("post /api/v1/tenants/{tenant_id}/subscription/cancel 404");
	expect(answers.length).toBeGreaterThan(10);
});

test("the service is ready when its database, its migrations and the issuer's keys are available", async () => {
	const answer = await service.app.inject("/readyz");
	const checks = { database: "ok", migrations: "ok", keys: "ok", bus: "ok", revocations: "ok", roles: "ok" };
	expect([answer.statusCode, answer.json().checks]).toEqual([200, checks]);
});

test("a service that never fetched the issuer's keys is not ready, and names what is missing", async () => {
	const lost = await service.again({ AUTH_JWKS_URL: "http://127.0.0.1:1/jwks.json" });
	try {
		const answer = await lost.app.inject("/readyz");
		const checks = {
			database: "ok",
			migrations: "ok",
			keys: "unavailable",
			bus: "ok",
			revocations: "ok",
			roles: "ok",
		};
		expect([answer.statusCode, answer.json().checks]).toEqual([503, checks]);
	} finally {
		await lost.close();
	}
});

test("a page of a declared origin can send and read an ETag", async () => {
	const answer = await service.app.inject({
		method: "OPTIONS",
		url: "/api/v1/tenants/7b0a1f0e-5c55-4f0e-9a5e-0d3c3c9a1b11/subscription",
		headers: {
			origin: "http://localhost:3001",
			"access-control-request-method": "GET",
			"access-control-request-headers": "authorization,if-none-match,x-tenant-id",
		},
	});
	expect(answer.statusCode).toBe(204);
	expect(String(answer.headers["access-control-allow-headers"]).toLowerCase()).toContain("if-none-match");
});
