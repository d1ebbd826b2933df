import { acrossTenants, type Database } from "@lango/postgres";

/** The platform's money at the card gateway in one currency, and what payouts take of it; lowest units. */
export type Float = {
	currency: string;
	/** What transfers are paid from. */
	balanceMinor: bigint;
	/** Charges that no settlement contains yet. */
	unsettledMinor: bigint;
	/** Payouts that the gateway has, and those that are approved and not sent. */
	sentMinor: bigint;
	approvedMinor: bigint;
	/** Payouts that another person still has to approve. */
	waitingMinor: bigint;
};

/** What one channel of the card gateway cost since a time, and how much of that the estimate missed. */
export type ChannelFees = { channel: string; currency: string; feeMinor: bigint; varianceMinor: bigint };

/** Objects of one kind and age whose outcome is not known, counted up to 10,000. */
export type Unresolved = { kind: UnresolvedKind; age: Age; found: number };

export const unresolvedKinds = ["attempt", "payout", "refund", "webhook"] as const;
/** Younger than an hour, a day, a week; older. */
export const ages = ["hour", "day", "week", "older"] as const;

type UnresolvedKind = (typeof unresolvedKinds)[number];
type Age = (typeof ages)[number];

type FloatRow = Record<"balance" | "unsettled" | "sent" | "approved" | "waiting", string> & {
	currency: string;
};

/** The float of each currency in which the platform has money at the card gateway, or owes payouts. */
export async function listFloat(db: Database): Promise<Float[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<FloatRow>(
			`with held as (
			   select a.currency, sum(b.balance_minor) filter (where a.code = 'card.balance') as balance,
			          sum(b.balance_minor) filter (where a.code = 'card.unsettled') as unsettled
			     from ledger_accounts a join ledger_balances b on b.account_id = a.id
			    where a.tenant_id is null and a.code in ('card.balance', 'card.unsettled')
			    group by a.currency
			 ), owed as (
			   select currency,
			          sum(net_minor) filter (where status in ('submitting', 'unknown', 'needs_otp', 'in_flight')) as sent,
			          sum(net_minor) filter (where status = 'approved') as approved,
			          sum(net_minor) filter (where status = 'awaiting_approval') as waiting
			     from payouts where ended_at is null and rail = 'card_gateway'
			    group by currency
			 )
			 select currency, coalesce(balance, 0)::text as balance, coalesce(unsettled, 0)::text as unsettled,
			        coalesce(sent, 0)::text as sent, coalesce(approved, 0)::text as approved,
			        coalesce(waiting, 0)::text as waiting
			   from held full join owed using (currency) order by currency limit 20`,
		),
	);
	return rows.map((row) => ({
		currency: row.currency,
		...{ balanceMinor: BigInt(row.balance), unsettledMinor: BigInt(row.unsettled) },
		...{ sentMinor: BigInt(row.sent), approvedMinor: BigInt(row.approved) },
		waitingMinor: BigInt(row.waiting),
	}));
}

/** The fees that the card gateway has kept since a time, by channel and currency. */
export async function listChannelFees(db: Database, since: Date): Promise<ChannelFees[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ code: string; currency: string; fee: string; variance: string }>(
			`select a.code, a.currency, sum(p.signed)::text as fee,
			        coalesce(sum(p.signed) filter (where j.purpose = 'fee_trueup'), 0)::text as variance
			   from ledger_accounts a
			   cross join lateral (
			     select journal_id, case side when 'debit' then amount_minor else -amount_minor end as signed
			       from postings where account_id = a.id and posted_at >= $1) p
			   join journals j on j.id = p.journal_id
			  where a.tenant_id is null and a.code like 'gateway\\_fee.%'
			  group by a.code, a.currency order by a.code, a.currency limit 50`,
			[since],
		),
	);
	return rows.map(({ code, currency, fee, variance }) => ({
		...{ channel: code.slice("gateway_fee.".length), currency },
		...{ feeMinor: BigInt(fee), varianceMinor: BigInt(variance) },
	}));
}

/** What is unknown or parked, by kind and age. */
export async function countUnresolved(db: Database, now: Date): Promise<Unresolved[]> {
	const parked = await db.query<Unresolved>(
		byAge(
			"select 'webhook' as kind, received_at as since from webhook_deliveries where status = 'parked' order by id limit 10000",
		),
		[now],
	);
	const sent = await acrossTenants(db, (tx) => tx.query<Unresolved>(byAge(unknownOutcomes), [now]));
	return [...sent, ...parked];
}

/** Counts the rows of a statement, each a kind and a time, by kind and age; `$1`: now. */
const byAge = (statement: string) => `
	select kind, age, count(*)::integer as found
	  from (select kind, case when since > $1::timestamptz - interval '1 hour' then 'hour'
	                          when since > $1::timestamptz - interval '1 day' then 'day'
	                          when since > $1::timestamptz - interval '7 days' then 'week' else 'older' end as age
	          from (${statement}) as one) as aged
	 group by kind, age`;

const unknownOutcomes = `
	(select 'attempt' as kind, coalesce(submitted_at, created_at) as since from attempts
	  where next_check_at is not null and status in ('submitting', 'unknown') limit 10000)
	union all
	(select 'payout', coalesce(submitted_at, created_at) from payouts
	  where ended_at is null and (needs_review or status in ('submitting', 'unknown')) limit 10000)
	union all
	(select 'refund', coalesce(submitted_at, created_at) from refunds
	  where ended_at is null and (needs_review or status in ('submitting', 'unknown')) limit 10000)`;
