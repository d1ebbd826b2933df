import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "./desk.ts";
import { type Standing, standUp } from "./standing.ts";

let standing: Standing;
beforeAll(async () => {
	standing = await standUp({ SUBSCRIPTIONS_DATABASE_CONNECTIONS_MAX: "5" });
});
afterAll(() => standing.end());

/** Other tenants must have their answer within this time, on a busy machine, too. */
const quickMs = 2_000;

describe("with a pool of five connections", () => {
	test("20 parallel changes by a tenant without a plan do not block the snapshot of another tenant", async () => {
		const [busy, other] = [openDesk(standing), openDesk(standing)];
		await other.ask("POST", "", { plan: "STARTER" });
		const change = { quote_id: randomUUID(), mode: "now" };
		const changes = Array.from({ length: 20 }, () => busy.ask("POST", "/change", change));
		const began = performance.now();
		expect((await other.ask("GET")).status).toBe(200);
		expect(performance.now() - began).toBeLessThan(quickMs);
		const refusals = (await Promise.all(changes)).map(({ status, body }) => [status, body["code"]]);
		expect(new Set(refusals.map(String))).toEqual(new Set(["404,no_subscription"]));
	});
});
