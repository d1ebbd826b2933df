import { acrossTenants, type Database } from "@lango/postgres";

/** Something that is expected and did not come: a charge to be settled, or what a settlement pays out. */
export type Overdue = {
	id: string;
	/** The gateway's number of it. */
	number: string;
	tenantId: string | undefined;
	amountMinor: bigint;
	/** What the gateway keeps of a charge; undefined of everything else. */
	feeMinor?: bigint;
	currency: string;
	since: Date;
};

type Row = {
	id: string;
	number: string;
	tenant_id: string | null;
	amount_minor: string;
	currency: string;
	since: Date;
};
type Query = { before: Date; after: string | undefined; limit: number };

const fromRow = (row: Row): Overdue => ({
	...{ id: row.id, number: row.number, tenantId: row.tenant_id ?? undefined, currency: row.currency },
	...{ amountMinor: BigInt(row.amount_minor), since: row.since },
});

/**
 * Lists the charges of all tenants from before a time that no settlement paid out, by id. About one that a
 * settlement contains its line says what differs.
 */
export async function listUnsettled(db: Database, { before, after, limit }: Query): Promise<Overdue[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row & { fee_minor: string }>(
			`with unsettled as materialized (
			   select id, receipt, coalesce(receipt, id::text) as number, tenant_id, amount_minor, fee_minor, currency, occurred_at as since
			     from receipts
			    where gateway = 'card_gateway' and kind = 'collection' and state = 'verified' and settled_at is null
			      and occurred_at < $1 and ($2::uuid is null or id > $2)
			 )
			 select id, number, tenant_id, amount_minor, fee_minor, currency, since from unsettled r
			  where not exists (select from settlement_lines n
			                     where n.transaction_id = r.receipt and n.state not in ('waived', 'replaced'))
			  order by id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map((row) => ({ ...fromRow(row), feeMinor: BigInt(row.fee_minor) }));
}

/** Lists settlements from before a time that statements of the bank cover and do not have, by id. */
export async function listUnbanked(db: Database, { before, after, limit }: Query): Promise<Overdue[]> {
	const rows = await db.query<Row>(
		`select s.id, s.gateway_id as number, null as tenant_id, s.effective_minor as amount_minor, s.currency, s.settled_at as since
		   from settlements s
		  where s.state <> 'announced' and s.settles_to = 'bank' and s.effective_minor > 0 and s.settled_at < $1
		    and exists (select from statement_lines n where n.source = 'bank' and n.currency = s.currency and n.at <= s.settled_at)
		    and exists (select from statement_lines n where n.source = 'bank' and n.currency = s.currency and n.at >= $1)
		    and not exists (select from statement_lines n where n.object_id = s.id)
		    and ($2::uuid is null or s.id > $2) order by s.id limit $3`,
		[before, after ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Lists the settlements from before a time that are announced and not paid out, by id. */
export async function listUnpaid(db: Database, { before, after, limit }: Query): Promise<Overdue[]> {
	const rows = await db.query<Row>(
		`select id, gateway_id as number, null as tenant_id, effective_minor as amount_minor, currency, settled_at as since
		   from settlements
		  where state = 'announced' and settled_at < $1 and ($2::uuid is null or id > $2) order by id limit $3`,
		[before, after ?? null, limit],
	);
	return rows.map(fromRow);
}

/** The shortcodes whose statements reach a time (`$1`), each with the time of its first line. */
const covered = `covered as materialized (
			   select source, min(at) as since from statement_lines where source <> 'bank' group by source having max(at) >= $1
			 )`;

/** What of `listed` no statement has, by id. */
const unlisted = `select * from listed l where not exists (select from statement_lines n where n.object_id = l.id) order by id limit $3`;

/** Lists what shortcodes received before a time, and statements of theirs cover and do not have, by id. */
export async function listUnlistedReceipts(
	db: Database,
	{ before, after, limit }: Query,
): Promise<Overdue[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row>(
			`with ${covered}, listed as materialized (
			   select r.id, r.receipt as number, r.tenant_id, r.amount_minor, r.currency, r.occurred_at as since
			     from covered c join receipts r on r.shortcode = c.source and r.occurred_at >= c.since
			    where r.kind = 'collection' and r.state = 'verified' and r.receipt is not null and r.occurred_at < $1
			      and ($2::uuid is null or r.id > $2)
			 )
			 ${unlisted}`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(fromRow);
}

/** Lists what shortcodes paid out before a time, and statements of theirs cover and do not have, by id. */
export async function listUnlistedPayouts(db: Database, { before, after, limit }: Query): Promise<Overdue[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row>(
			`with ${covered}, listed as materialized (
			   select p.id, p.receipt as number, p.tenant_id, p.net_minor as amount_minor, p.currency, p.paid_at as since
			     from covered c join payouts p on p.shortcode = c.source and p.paid_at >= c.since
			    where p.status = 'paid' and p.receipt is not null and p.paid_at < $1 and ($2::uuid is null or p.id > $2)
			 )
			 ${unlisted}`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(fromRow);
}

/** Lists what shortcodes returned before a time, and statements of theirs cover and do not have, by id. */
export async function listUnlistedRefunds(db: Database, { before, after, limit }: Query): Promise<Overdue[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row>(
			`with ${covered}, listed as materialized (
			   select f.id, f.gateway_ref as number, f.tenant_id, f.amount_minor, f.currency, f.ended_at as since
			     from refunds f join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id
			     join covered c on c.source = r.shortcode and f.ended_at >= c.since
			    where f.method <> 'card' and f.status = 'processed' and f.gateway_ref is not null and f.ended_at < $1
			      and ($2::uuid is null or f.id > $2)
			 )
			 ${unlisted}`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(fromRow);
}
