import { acrossTenants, type Database } from "@lango/postgres";

/** A receipt of the card gateway, of any tenant. */
export type CardReceipt = {
	tenantId: string;
	id: string;
	receipt: string;
	amountMinor: bigint;
	currency: string;
	/** Of its attempt, or of the charge; undefined if it has none. */
	reference: string | undefined;
};

type Query = { from: Date; to: Date; after: string | undefined; limit: number };

/** Lists the receipts of the card gateway of a time and all tenants, by id. */
export async function listCardReceipts(
	db: Database,
	{ from, to, after, limit }: Query,
): Promise<CardReceipt[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{
			tenant_id: string;
			id: string;
			receipt: string;
			amount_minor: string;
			currency: string;
			reference: string | null;
		}>(
			`select r.tenant_id, r.id, r.receipt, r.amount_minor, r.currency, coalesce(a.reference, r.account_ref) as reference
			   from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
			  where r.gateway = 'card_gateway' and r.kind = 'collection' and r.state = 'verified' and r.receipt is not null
			    and r.occurred_at between $1 and $2 and ($3::uuid is null or r.id > $3)
			  order by r.id limit $4`,
			[from, to, after ?? null, limit],
		),
	);
	return rows.map((row) => ({
		...{ tenantId: row.tenant_id, id: row.id, receipt: row.receipt, currency: row.currency },
		...{ amountMinor: BigInt(row.amount_minor), reference: row.reference ?? undefined },
	}));
}
