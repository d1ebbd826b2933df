import { acrossTenants, type Database } from "@lango/postgres";
import type { SettlementLine } from "./settlement.ts";

type Row = {
	transaction_id: string;
	reference: string;
	amount_minor: string;
	fee_minor: string;
	channel: string;
	paid_at: Date;
};

/** A charge that no settlement contains, as its receipt states it. */
export type Unsettled = Omit<SettlementLine, "id" | "settlementId" | "state">;

/**
 * Returns the oldest charges of a currency, of all tenants, that no settlement contains, up to the last one
 * with which their net comes to one of these amounts. Empty if none does.
 */
export async function findUnsettledUpTo(
	db: Database,
	{ currency, netsMinor }: { currency: string; netsMinor: readonly bigint[] },
): Promise<Unsettled[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row>(
			`with charges as materialized (
			   select r.id, r.receipt as transaction_id, r.amount_minor, r.fee_minor, r.channel, r.occurred_at as paid_at,
			          coalesce(a.reference, r.account_ref, '') as reference
			     from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
			    where r.gateway = 'card_gateway' and r.kind = 'collection' and r.state = 'verified' and r.settled_at is null
			      and r.currency = $1 and r.receipt is not null
			 ), unsettled as (
			   select *, sum(amount_minor - fee_minor) over up_to as so_far, row_number() over up_to as place from charges c
			    where not exists (select from settlement_lines n
			                       where n.transaction_id = c.transaction_id and n.state not in ('waived', 'replaced'))
			   window up_to as (order by paid_at, id)
			 )
			 select transaction_id, reference, amount_minor, fee_minor, channel, paid_at from unsettled
			  where place <= (select max(place) from unsettled where so_far = any ($2::bigint[])) order by place`,
			[currency, netsMinor],
		),
	);
	return rows.map((row) => ({
		...{ transactionId: row.transaction_id, reference: row.reference, currency, channel: row.channel },
		...{ amountMinor: BigInt(row.amount_minor), feeMinor: BigInt(row.fee_minor), paidAt: row.paid_at },
	}));
}
