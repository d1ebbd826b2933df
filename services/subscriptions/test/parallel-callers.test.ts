import { randomUUID } from "node:crypto";
import { inTenant, openPool } from "@lango/postgres";
import { besideOthers } from "@lango/testkit";
import { describe, expect, test } from "vitest";
import { openDesk, until } from "./desk.ts";
import { setUpService } from "./test-service.ts";

const service = setUpService({ SUBSCRIPTIONS_DATABASE_CONNECTIONS_MAX: "5" });

/** Other tenants must be answered within this time, on a busy machine, too. */
const quickMs = 2_000;

describe("with a pool of five connections", () => {
	test("20 parallel changes by a tenant without a plan do not block the snapshot of another tenant", async () => {
		const [busy, other] = [openDesk(service), openDesk(service)];
		await other.ask("POST", "", { plan: "STARTER" });
		const change = { quote_id: randomUUID(), mode: "now" };
		const changes = Array.from({ length: 20 }, () => busy.ask("POST", "/change", change));
		const began = performance.now();
		expect((await other.ask("GET")).status).toBe(200);
		expect(performance.now() - began).toBeLessThan(quickMs);
		const refusals = (await Promise.all(changes)).map(({ status, body }) => [status, body["code"]]);
		expect(new Set(refusals.map(String))).toEqual(new Set(["404,no_subscription"]));
	});

	test("snapshots and /readyz answer while every ordinary connection waits for a lock, and changes continue after it", async () => {
		const [busy, other] = [openDesk(service), openDesk(service)];
		for (const desk of [busy, other]) await desk.ask("POST", "", { plan: "STARTER" });
		const owner = openPool({ url: service.database.ownerUrl, name: "blocking", sizeMax: 1 });
		const locking = besideOthers(async (tx) => {
			await tx.query("select from subscriptions where tenant_id = $1 for update", [busy.tenantId]);
			const changes = Array.from({ length: 20 }, () => busy.ask("POST", "/cancel"));
			await until(async () => service.db.connections().pending > 0);
			const began = performance.now();
			const snapshot = await other.ask("GET");
			const readiness = await service.app.inject("/readyz");
			expect([snapshot.status, readiness.statusCode, readiness.json().checks.database]).toEqual([
				200,
				200,
				"ok",
			]);
			expect(performance.now() - began).toBeLessThan(quickMs);
			expect(service.db.connections().used).toBeLessThanOrEqual(5);
			return changes;
		});
		// Every change is answered afterwards: a trial cannot be cancelled.
		const changes = await inTenant(owner, busy.tenantId, async (tx) => ({ all: await locking(tx) }));
		await owner.close();
		expect(new Set((await Promise.all(changes.all)).map(({ status }) => status))).toEqual(new Set([409]));
	});

	test("of 200 parallel requests of one tenant those above the maximum get 429, and another tenant reads quickly meanwhile", async () => {
		const [busy, other] = [openDesk(service), openDesk(service)];
		for (const desk of [busy, other]) await desk.ask("POST", "", { plan: "STARTER" });
		// Selecting a plan locks the tenant's row, so that the requests also wait for each other.
		const selections = Array.from({ length: 200 }, () => busy.ask("POST", "", { plan: "GROWTH" }));
		const began = performance.now();
		const reads = await Promise.all([
			other.ask("GET"),
			other.ask("GET", "/billing"),
			service.app.inject("/readyz"),
		]);
		expect(performance.now() - began).toBeLessThan(quickMs);
		expect(reads.map((one) => ("status" in one ? one.status : one.statusCode))).toEqual([200, 200, 200]);
		const outcomes = (await Promise.all(selections)).map(
			({ status, body }) => `${status} ${body["code"] ?? ""}`,
		);
		expect(
			Object.fromEntries([...Map.groupBy(outcomes, String)].map(([what, all]) => [what, all.length])),
		).toEqual({
			"200 ": 64,
			"429 tenant_busy": 136,
		});
	});
});
