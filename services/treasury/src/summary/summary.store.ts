import { acrossTenants, type Database } from "@lango/postgres";
import { feeChannels, feeRules } from "../fees/fee.ts";

/**
 * The platform's money at the card gateway in one currency, and what payouts take of it with the fees of
 * their transfers; lowest units.
 */
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

type FloatRow = Record<"balance" | "unsettled" | "sent" | "approved" | "waiting", string> & {
	currency: string;
};

/** The float of each currency in which the platform has money at the card gateway, or owes payouts. */
export async function listFloat(db: Database): Promise<Float[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<FloatRow>(
			`with held as materialized (
			   select a.currency, sum(b.balance_minor) filter (where a.code = 'card.balance') as balance,
			          sum(b.balance_minor) filter (where a.code = 'card.unsettled') as unsettled
			     from ledger_accounts a join ledger_balances b on b.account_id = a.id
			    where a.tenant_id is null and a.code in ('card.balance', 'card.unsettled')
			    group by a.currency
			 ), owed as materialized (
			   select p.currency,
			          sum(p.net_minor - coalesce(l.amount_minor, 0))
			            filter (where p.status in ('submitting', 'unknown', 'needs_otp', 'in_flight')) as sent,
			          sum(p.net_minor - coalesce(l.amount_minor, 0)) filter (where p.status = 'approved') as approved,
			          sum(p.net_minor - coalesce(l.amount_minor, 0)) filter (where p.status = 'awaiting_approval') as waiting
			     from payouts p
			     left join payout_lines l on l.tenant_id = p.tenant_id and l.payout_id = p.id and l.kind = 'transfer_fee'
			    where p.ended_at is null and p.rail = 'card_gateway'
			    group by p.currency
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

/**
 * The fees that the card gateway has kept since a time, by channel and currency. The estimate of a charge is
 * that of `estimateFee`, and that of a transfer is the line of its payout, whatever was posted first.
 */
export async function listChannelFees(
	db: Database,
	since: Date,
	table: typeof feeRules = feeRules,
): Promise<ChannelFees[]> {
	const rules = feeChannels.map((channel) => table[channel]);
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ code: string; currency: string; fee: string; variance: string }>(
			`with posted as materialized (
			   select a.code, a.currency, sum(p.signed) as fee,
			          sum(p.signed) filter (where j.purpose = 'fee_trueup' or j.source_type in ('receipt', 'payout')) as estimable
			     from ledger_accounts a
			     cross join lateral (
			       select journal_id, case side when 'debit' then amount_minor else -amount_minor end as signed
			         from postings where account_id = a.id and posted_at >= $1) p
			     join journals j on j.id = p.journal_id
			    where a.tenant_id is null and a.code like 'gateway\\_fee.%'
			    group by a.code, a.currency
			 ), estimated as materialized (
			   select 'gateway_fee.' || r.channel as code, r.currency,
			          sum(least((r.amount_minor * f.permille + 500) / 1000 + f.fixed, f.cap)) as estimate
			     from receipts r join unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
			          as f (channel, permille, fixed, cap) on f.channel = r.channel
			    where r.gateway = 'card_gateway' and r.kind = 'collection' and r.state = 'verified' and r.created_at >= $1
			    group by r.channel, r.currency
			   union all
			   select 'gateway_fee.transfer', p.currency, -sum(l.amount_minor)
			     from payouts p join payout_lines l on l.tenant_id = p.tenant_id and l.payout_id = p.id
			    where p.rail = 'card_gateway' and p.paid_at >= $1 and l.kind = 'transfer_fee'
			    group by p.currency
			 )
			 select code, currency, coalesce(fee, 0)::text as fee,
			        (coalesce(estimable, 0) - coalesce(estimate, 0))::text as variance
			   from posted full join estimated using (code, currency) order by code, currency limit 50`,
			[
				...[
					since,
					feeChannels,
					rules.map(({ permille }) => permille),
					rules.map(({ fixedMinor }) => fixedMinor),
				],
				rules.map(({ capMinor }) => capMinor ?? null),
			],
		),
	);
	return rows.map(({ code, currency, fee, variance }) => ({
		...{ channel: code.slice("gateway_fee.".length), currency },
		...{ feeMinor: BigInt(fee), varianceMinor: BigInt(variance) },
	}));
}
