import type { UsageEvent } from "@lango/contracts";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import type { Basis } from "./basis.ts";

/** The tenant, and the version of its subscription whose terms are used. */
export type Counting = { tenantId: string; version: number; now: Date };

/** "stale": the subscription has changed since its terms were read; nothing was counted. */
export type Counted =
	| { outcome: "stale" }
	| { outcome: "counted"; accepted: number; due: ReadonlyArray<{ metric: string; windowKey: string }> };

/** Counts the events that were not counted before, in one statement. */
export async function reportUsage(
	db: Database,
	{ tenantId, version, now }: Counting,
	events: ReadonlyArray<{ event: UsageEvent; basis: Basis }>,
): Promise<Counted> {
	const [row] = await db.query<{ counted: CountedRow }>(
		"select report_usage($1, $2, $3::jsonb, $4) as counted",
		[tenantId, version, JSON.stringify(events.map(toRow)), now],
	);
	if (row === undefined) throw new Error("report_usage returned no row");
	if (row.counted.outcome === "stale") return row.counted;
	const { outcome, accepted, due } = row.counted;
	return { outcome, accepted, due: due.map(({ metric, window_key }) => ({ metric, windowKey: window_key })) };
}

type CountedRow =
	| { outcome: "stale" }
	| { outcome: "counted"; accepted: number; due: Array<{ metric: string; window_key: string }> };

function toRow({ event, basis }: { event: UsageEvent; basis: Basis }) {
	const { window, limitValue, warnFor, periodStartsAt, price } = basis;
	return {
		...event,
		window_key: window.key,
		starts_at: window.startsAt ?? new Date(0),
		limit_value: limitValue,
		warn_for: warnFor,
		period: periodStartsAt,
		price: price?.unitPriceMinor ?? null,
		currency: price?.currency ?? null,
		cap: price?.cap ?? null,
	};
}

/** The outcome of a consumption, and the counter after it. */
export type ConsumptionOutcome = {
	outcome: "consumed" | "repeated" | "released" | "differs" | "limit_reached" | "stale";
	used: number;
	overage: number;
	isDue: boolean;
};

/** Consumes units under an id, or returns why not, in one statement. */
export async function consumeUsage(
	db: Database,
	{ tenantId, version, now }: Counting,
	{ id, limit, value, basis }: { id: string; limit: string; value: number; basis: Basis },
): Promise<ConsumptionOutcome> {
	const { metric, window, limitValue, ceiling, warnFor, periodStartsAt, price } = basis;
	const [row] = await db.query<{ outcome: ConsumptionOutcome["outcome"] } & CounterRow & { is_due: boolean }>(
		`select outcome, used, overage, is_due
		   from consume_usage($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		[
			tenantId,
			version,
			id,
			metric.code,
			limit,
			value,
			limitValue,
			ceiling,
			window.key,
			window.startsAt ?? new Date(0),
			warnFor,
			periodStartsAt,
			price?.unitPriceMinor ?? null,
			price?.currency ?? null,
			now,
		],
	);
	if (row === undefined) throw new Error("consume_usage returned no row");
	return { outcome: row.outcome, used: Number(row.used), overage: Number(row.overage), isDue: row.is_due };
}

/** Releases what an id has consumed; false if it consumed nothing, which is then final. */
export async function releaseUsage(
	db: Database,
	{ tenantId, id, now }: { tenantId: string; id: string; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ released: boolean }>("select release_usage($1, $2, $3) as released", [
		tenantId,
		id,
		now,
	]);
	return row?.released === true;
}

export type ReportedOverage = { id: string; quantity: number; at: Date; basis: Basis };

/** Records overage that a service has counted, once per id. */
export async function reportOverage(
	db: Database,
	{ tenantId, version, now }: Counting,
	{ id, quantity, at, basis }: ReportedOverage,
): Promise<"recorded" | "repeated" | "stale"> {
	const { metric, window, limitValue, warnFor, periodStartsAt, price } = basis;
	const [row] = await db.query<{ outcome: "recorded" | "repeated" | "stale" }>(
		"select report_overage($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as outcome",
		[
			tenantId,
			version,
			id,
			metric.code,
			quantity,
			limitValue,
			window.key,
			window.startsAt ?? new Date(0),
			warnFor,
			periodStartsAt,
			price?.unitPriceMinor ?? null,
			price?.currency ?? null,
			price?.cap ?? null,
			at,
			now,
		],
	);
	if (row === undefined) throw new Error("report_overage returned no row");
	return row.outcome;
}

type CounterRow = { used: bigint; overage: bigint };

/** A tenant's counters, keyed by `metric window`; those without usage are missing. */
export async function findCounters(
	db: Database,
	tenantId: string,
	wanted: ReadonlyArray<{ metric: string; windowKey: string }>,
): Promise<ReadonlyMap<string, { used: number; overage: number }>> {
	const rows = await inTenant(db, tenantId, (tx) =>
		tx.query<CounterRow & { metric: string; window_key: string }>(
			`select metric, window_key, used, overage
			   from usage_counters
			  where tenant_id = $1 and (metric, window_key) in (select * from unnest($2::text[], $3::text[]))`,
			[tenantId, wanted.map(({ metric }) => metric), wanted.map(({ windowKey }) => windowKey)],
		),
	);
	return new Map(
		rows.map(({ metric, window_key, used, overage }) => [
			`${metric} ${window_key}`,
			{ used: Number(used), overage: Number(overage) },
		]),
	);
}

/** A warning to publish. */
export type DueWarning = { limitValue: number; used: number; percent: 80 | 100; warnedFor: string };

/**
 * Marks the warning of a counter as published, in the transaction of its event; undefined if no warning is
 * due.
 */
export async function claimWarning(
	tx: Database,
	{ tenantId, metric, windowKey }: { tenantId: string; metric: string; windowKey: string },
): Promise<DueWarning | undefined> {
	const [row] = await tx.query<{
		limit_value: bigint;
		used: bigint;
		due_percent: 80 | 100;
		warned_for: string;
	}>(
		`update usage_counters set warned_percent = due_percent
		  where tenant_id = $1 and metric = $2 and window_key = $3 and due_percent > warned_percent
		 returning limit_value, used, due_percent, warned_for`,
		[tenantId, metric, windowKey],
	);
	return (
		row && {
			limitValue: Number(row.limit_value),
			used: Number(row.used),
			percent: row.due_percent,
			warnedFor: row.warned_for,
		}
	);
}

/** Some due warnings of any tenant that were not published. */
export async function listDueWarnings(
	db: Database,
	max: number,
): Promise<Array<{ tenantId: string; metric: string; windowKey: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string; metric: string; window_key: string }>(
			`select tenant_id, metric, window_key from usage_counters
			  where due_percent > warned_percent order by tenant_id limit $1`,
			[max],
		),
	);
	return rows.map(({ tenant_id, metric, window_key }) => ({
		tenantId: tenant_id,
		metric,
		windowKey: window_key,
	}));
}
