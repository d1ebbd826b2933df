import { acrossTenants, type Database } from "@lango/postgres";
import type { ExceptionClass } from "../exceptions/exception.ts";
import { findOldestUnresolved, type Oldest } from "./unresolved.store.ts";

/** What operators watch of the webhooks, attempts, payouts, refunds and exceptions of all tenants. */
export type Measurements = {
	/** When the oldest webhook was stored that is not applied. */
	unappliedSince: Date | undefined;
	/** Parked webhooks by gateway, counted up to 10,000. */
	parked: ReadonlyArray<{ gateway: string; found: number }>;
	/** When the oldest webhook was received that waits for an operator. */
	parkedSince: Date | undefined;
	/** When the oldest attempt, payout and refund was sent whose outcome is not known. */
	unresolvedSince: Oldest;
	/** Refunds that wait for an operator, and disputes that are lost within two days, each up to 10,000. */
	refundsToReview: number;
	disputesDue: number;
	/** Open exceptions by class, counted up to 10,000. */
	exceptions: ReadonlyMap<ExceptionClass, number>;
	/** The certificate of the mobile-money gateway. */
	certificate: string | undefined;
};

/** A dispute that is due within this time is urgent. */
const dueMs = 48 * 3_600_000;

/** Measures the webhooks, attempts, payouts, refunds, disputes and exceptions of all tenants. */
export async function measureTreasury(db: Database, now: Date): Promise<Measurements> {
	const [oldest] = await db.query<{ received_at: Date }>(
		"select received_at from webhook_deliveries where status = 'received' order by id limit 1",
	);
	const parked = await db.query<{ gateway: string; found: number; since: Date }>(
		`select gateway, count(*)::integer as found, min(received_at) as since
		   from (select gateway, received_at from webhook_deliveries where status = 'parked' order by id limit 10000) as p
		  group by gateway`,
	);
	const returning = await acrossTenants(db, (tx) =>
		tx.query<{ kind: "refund" | "dispute"; found: number }>(
			`select 'refund' as kind, count(*)::integer as found from (select id from refunds where needs_review limit 10000) as r
			 union all
			 select 'dispute', count(*)::integer from (
			   select id from disputes where status in ('open', 'reminded') and due_at < $1 limit 10000) as d`,
			[new Date(now.getTime() + dueMs)],
		),
	);
	const found = new Map(returning.map((one) => [one.kind, one.found]));
	const exceptions = await db.query<{ class: ExceptionClass; found: number }>(
		`select class, count(*)::integer as found
		   from (select class from exceptions where state = 'open' limit 10000) as e group by class`,
	);
	const [profile] = await db.query<{ certificate: string | null }>(
		"select certificate from gateway_profiles where kind = 'mobile_money'",
	);
	const times = parked.map(({ since }) => since.getTime());
	return {
		refundsToReview: found.get("refund") ?? 0,
		disputesDue: found.get("dispute") ?? 0,
		unappliedSince: oldest?.received_at,
		parked: parked.map(({ gateway, found }) => ({ gateway, found })),
		parkedSince: times.length === 0 ? undefined : new Date(Math.min(...times)),
		unresolvedSince: await findOldestUnresolved(db),
		exceptions: new Map(exceptions.map((one) => [one.class, one.found])),
		certificate: profile?.certificate ?? undefined,
	};
}
