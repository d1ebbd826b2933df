import { randomUUID } from "node:crypto";
import { type Database, openPool } from "@lango/postgres";
import { expect, test } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { setUpService } from "./test-service.ts";

// A connection keeps its query plans. A plan made while a table is known to be empty scans the whole table,
// and would do so until the table is analysed, however large it is by then.

const service = setUpService();

const counted = ["subscriptions", "usage_counters", "usage_consumptions", "usage_reports", "overage_lines"];
const now = new Date("2026-03-01T12:00:00Z");

async function wholeReads(db: Database): Promise<Record<string, number>> {
	await db.query("select pg_stat_force_next_flush()");
	const rows = await db.query<{ relname: string; seq_scan: bigint }>(
		"select relname, seq_scan from pg_stat_user_tables where relname = any ($1)",
		[counted],
	);
	return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]));
}

async function count(db: Database, tenantId: string): Promise<void> {
	const id = randomUUID();
	const [consumed] = await db.query<{ outcome: string }>(
		`select outcome from consume_usage($1, 1, $2, 'order_count', 'max_orders_per_day', 2, 1, 100, 'day:2026-03-01', $3,
		                                   'day:2026-03-01', $3, 250, 'KES', $3)`,
		[tenantId, id, now],
	);
	expect(consumed).toEqual({ outcome: "consumed" });
	const event = {
		id,
		metric: "order_count",
		value: 1,
		at: now,
		window_key: "day:2026-03-01",
		starts_at: now,
	};
	const basis = {
		limit_value: 1,
		warn_for: "day:2026-03-01",
		period: now,
		price: 250,
		currency: "KES",
		cap: 5,
	};
	await db.query("select report_usage($1, 1, $2::jsonb, $3)", [
		tenantId,
		JSON.stringify([{ ...event, ...basis }]),
		now,
	]);
	await db.query("select read_subscription($1)", [tenantId]);
	expect(await db.query("select release_usage($1, $2, $3) as released", [tenantId, id, now])).toEqual([
		{ released: true },
	]);
}

test("counting scans no table, even with plans made while the tables were empty", async () => {
	const owner = openPool({ url: service.database.ownerUrl, name: "owner", sizeMax: 1 });
	for (const table of counted) await owner.query(`vacuum (analyze) ${table}`);
	await owner.close();
	const tenantId = randomUUID();
	const ends = new Date("2026-03-15T12:00:00Z");
	await recordSubscription(service.db, {
		tenantId,
		plan: "GROWTH",
		addOns: [],
		trial: { startedAt: now, endsAt: ends },
		period: null,
		expiresAt: ends,
		graceUntil: ends,
		isRenewed: true,
	});
	const one = openPool({ url: service.database.url, name: "counting", sizeMax: 1 });
	try {
		const before = await wholeReads(one);
		for (let n = 0; n < 12; n += 1) await count(one, tenantId);
		expect(await wholeReads(one)).toEqual(before);
	} finally {
		await one.close();
	}
});
