import { acrossTenants, type Database } from "@lango/postgres";
import type { Settlement } from "./settlement.ts";

/** Money that the card gateway returned to a payer, and takes back from what it settles. */
export type Deduction = { kind: "refund" | "dispute"; id: string; amountMinor: bigint };

type DeductionRow = { kind: Deduction["kind"]; id: string; amount_minor: string };

const fromRow = ({ kind, id, amount_minor }: DeductionRow): Deduction => ({
	...{ kind, id, amountMinor: BigInt(amount_minor) },
});

/** A settlement, and what it deducted as far as that is known by its sum. */
export type Deducted = { settlementId: string; deductions: readonly Deduction[] };

/** So many are compared with one settlement. */
const listedMax = 10_000;

/**
 * Lists the refunds and lost disputes of a currency, of all tenants, that no settlement deducted, with what
 * the payer got, the oldest first: at most 10,000.
 */
export async function listDeductible(db: Database, currency: string): Promise<Deduction[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<DeductionRow>(
			`with returned as materialized (
			   select 'refund' as kind, f.id, f.amount_minor, f.ended_at from refunds f
			    where f.method = 'card' and f.status = 'processed' and f.currency = $1
			   union all
			   select 'dispute', d.id, h.amount_minor, d.ended_at from disputes d
			     join lateral (
			       select sum(h.amount_minor)::bigint as amount_minor from receipt_holds h
			        where h.tenant_id = d.tenant_id and h.object_id = d.id and h.state = 'returned'
			     ) h on h.amount_minor > 0
			    where d.status = 'lost' and d.currency = $1
			 )
			 select kind, id, amount_minor from returned r
			  where not exists (select from settlement_deductions n where n.object_id = r.id)
			  order by ended_at, id limit $2`,
			[currency, listedMax],
		),
	);
	return rows.map(fromRow);
}

/** What deductions come to. */
export const sumOfDeductions = (all: readonly Deduction[]): bigint =>
	all.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** So many settlements may exchange what they deducted with one. */
const nearestMax = 32;

/**
 * Lists what the settlements deducted that were settled at about the time of one, in its currency, the
 * nearest first: at most 32. Its own are the first.
 */
export async function listDeducted(
	db: Database,
	{ id, currency, settledAt }: Pick<Settlement, "id" | "currency" | "settledAt">,
): Promise<Deducted[]> {
	const rows = await db.query<DeductionRow & { settlement_id: string }>(
		`with nearest as (
		   select s.id, s.id <> $1 as is_other, abs(extract(epoch from s.settled_at - $3::timestamptz)) as seconds from settlements s
		    where s.currency = $2 and exists (select from settlement_deductions n where n.settlement_id = s.id)
		    order by is_other, seconds, s.id limit $4
		 )
		 select n.settlement_id, n.object_kind as kind, n.object_id as id, n.amount_minor
		   from nearest s join settlement_deductions n on n.settlement_id = s.id
		  order by s.is_other, s.seconds, s.id, n.object_id`,
		[id, currency, settledAt, nearestMax],
	);
	const bySettlement = Map.groupBy(rows, (row) => row.settlement_id);
	return [...bySettlement].map(([settlementId, of]) => ({ settlementId, deductions: of.map(fromRow) }));
}

/**
 * Stores what settlements deducted, in place of what they deducted `before`. Throws an Error if that was
 * changed meanwhile.
 */
export async function replaceDeductions(
	tx: Database,
	before: readonly Deducted[],
	deducted: readonly Deducted[],
): Promise<void> {
	const [replaced, stored] = [before.flatMap(toPairs), deducted.flatMap(toPairs)];
	const deleted = await tx.query(
		`delete from settlement_deductions n using unnest($1::uuid[], $2::uuid[]) as b (settlement_id, object_id)
		  where n.settlement_id = b.settlement_id and n.object_id = b.object_id returning n.object_id`,
		[replaced.map(({ settlementId }) => settlementId), replaced.map(({ id }) => id)],
	);
	if (deleted.length < replaced.length)
		throw new Error("what settlements deducted was changed by another transaction");
	await tx.query(
		`insert into settlement_deductions (settlement_id, object_kind, object_id, amount_minor)
		 select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::bigint[])`,
		[
			...[stored.map(({ settlementId }) => settlementId), stored.map(({ kind }) => kind)],
			...[stored.map(({ id }) => id), stored.map(({ amountMinor }) => amountMinor)],
		],
	);
}

const toPairs = ({ settlementId, deductions }: Deducted) =>
	deductions.map((one) => ({ ...one, settlementId }));

/** Returns what of the deductions of a settlement is explained by refunds and disputes. */
export async function explainedDeductions(db: Database, settlementId: string): Promise<bigint> {
	const [row] = await db.query<{ sum: string }>(
		"select coalesce(sum(amount_minor), 0)::bigint as sum from settlement_deductions where settlement_id = $1",
		[settlementId],
	);
	return BigInt(row?.sum ?? 0);
}
