import { acrossTenants, type Database } from "@lango/postgres";

/** A receipt that explains a difference, of any tenant. */
export type Explaining = {
	id: string;
	gateway: string;
	/** The gateway's number of it. */
	receipt: string | undefined;
	reference: string;
	amountMinor: bigint;
	feeMinor: bigint;
	currency: string;
	channel: string;
	occurredAt: Date;
	isSettled: boolean;
};

type Row = {
	id: string;
	gateway: string;
	receipt: string | null;
	reference: string;
	amount_minor: string;
	fee_minor: string;
	currency: string;
	channel: string;
	occurred_at: Date;
	is_settled: boolean;
};

/** Returns receipts that count, of all tenants, as the platform owner. */
export async function findExplaining(db: Database, ids: readonly string[]): Promise<Explaining[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row>(
			`select r.id, r.gateway, r.receipt, coalesce(a.reference, r.account_ref, '') as reference, r.amount_minor, r.fee_minor,
			        r.currency, r.channel, r.occurred_at, r.settled_at is not null as is_settled
			   from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
			  where r.id = any ($1::uuid[]) and r.kind = 'collection' and r.state = 'verified' order by r.id`,
			[ids],
		),
	);
	return rows.map(({ amount_minor, fee_minor, occurred_at, is_settled, receipt, ...row }) => ({
		...{
			...row,
			receipt: receipt ?? undefined,
			amountMinor: BigInt(amount_minor),
			feeMinor: BigInt(fee_minor),
		},
		...{ occurredAt: occurred_at, isSettled: is_settled },
	}));
}
