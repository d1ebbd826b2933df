import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
let coffee: string;
beforeAll(async () => {
	coffee = await cafe.item(cafe.kahawa);
});

const order = async (item = coffee) => {
	const token = cafe.token(cafe.kahawa, "member");
	const body = { lines: [{ item_id: item }] };
	return (await cafe.call({ method: "POST", url: "/api/v1/kahawa/orders", token, body })).body.id;
};
const takeReported = () => cafe.subscriptions.reported.splice(0);
const unreported = async () => {
	const [row] = await acrossTenants(cafe.database.db, (tx) =>
		tx.query<{ count: number }>("select count(*)::int as count from orders where usage_reported_at is null"),
	);
	return row?.count;
};

test("orders are reported once each under their own ids, in one batch if they are placed together", async () => {
	const ids = [await order(), await order(), await order()];
	const before = cafe.subscriptions.asked;
	await cafe.jobs.runDue();
	const reported = takeReported();
	expect(reported.map(({ id }) => id).toSorted()).toEqual(ids.map((id) => `order:${id}`).toSorted());
	expect(
		reported.every(
			({ metric, value, tenantId }) => `${metric} ${value} ${tenantId}` === `order_count 1 ${cafe.kahawa.id}`,
		),
	).toBe(true);
	expect(cafe.subscriptions.asked).toBe(before + 1);
	await cafe.jobs.runDue();
	expect([takeReported(), await unreported()]).toEqual([[], 0]);
});

test("a refused order is not reported", async () => {
	await order("00000000-0000-4000-8000-000000000000");
	await cafe.jobs.runDue();
	expect(takeReported()).toEqual([]);
});

test("a report that was sent but not marked is sent again under the same id, and counted once", async () => {
	const id = await order();
	await cafe.jobs.runDue();
	await forget(id);
	await scanLater();
	const reported = takeReported();
	expect(reported.map((one) => one.id)).toEqual([`order:${id}`, `order:${id}`]);
	expect(await unreported()).toBe(0);
});

test("the recovery scan finds a report whose job was lost after 15 minutes", async () => {
	await cafe.jobs.runDue();
	const id = await order();
	await cafe.jobs.runDue();
	takeReported();
	await forget(id);
	cafe.clock.now = undefined;
	await cafe.jobs.run("usage.report.sweep");
	await cafe.jobs.runDue();
	expect(takeReported()).toEqual([]);
	await scanLater();
	expect(takeReported().map((one) => one.id)).toEqual([`order:${id}`]);
});

test("a report that the subscription service refuses permanently is logged and not sent again", async () => {
	await order();
	cafe.subscriptions.brokenWith = 404;
	await cafe.jobs.runDue();
	cafe.subscriptions.brokenWith = undefined;
	expect(await unreported()).toBe(0);
	expect(cafe.logged.some((line) => line.includes("usage report dropped"))).toBe(true);
});

test("reports wait while the subscription service is unavailable", async () => {
	const id = await order();
	cafe.subscriptions.brokenWith = 500;
	await cafe.jobs.runDue();
	expect([takeReported(), await unreported()]).toEqual([[], 1]);
	cafe.subscriptions.brokenWith = undefined;
	const next = await order();
	await cafe.jobs.runDue();
	expect(
		takeReported()
			.map((one) => one.id)
			.toSorted(),
	).toEqual([`order:${id}`, `order:${next}`].toSorted());
	expect(await unreported()).toBe(0);
});

/** Simulates a crash between sending and marking the report. */
async function forget(id: string) {
	await inTenant(cafe.database.db, cafe.kahawa.id, (tx) =>
		tx.query("update orders set usage_reported_at = null where id = $1", [id]),
	);
}

async function scanLater() {
	cafe.clock.now = new Date(Date.now() + 16 * 60_000);
	await cafe.jobs.run("usage.report.sweep");
	await cafe.jobs.runDue();
	cafe.clock.now = undefined;
}
