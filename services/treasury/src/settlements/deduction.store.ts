import { acrossTenants, type Database } from "@lango/postgres";

/** Money that the card gateway returned to a payer, and takes back from what it settles. */
export type Deduction = { kind: "refund" | "dispute"; id: string; amountMinor: bigint };

/** So many are compared with one settlement. */
const listedMax = 10_000;

/**
 * Lists the refunds and lost disputes of a currency, of all tenants, that no settlement deducted, the oldest
 * first: at most 10,000.
 */
export async function listDeductible(db: Database, currency: string): Promise<Deduction[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ kind: Deduction["kind"]; id: string; amount_minor: string }>(
			`with returned as (
			   select 'refund' as kind, f.id, f.amount_minor, f.ended_at from refunds f
			    where f.method = 'card' and f.status = 'processed' and f.currency = $1
			      and not exists (select from settlement_deductions n where n.object_id = f.id)
			   union all
			   select 'dispute', d.id, d.amount_minor, d.ended_at from disputes d
			    where d.status = 'lost' and d.currency = $1
			      and not exists (select from settlement_deductions n where n.object_id = d.id)
			 )
			 select kind, id, amount_minor from returned order by ended_at, id limit $2`,
			[currency, listedMax],
		),
	);
	return rows.map(({ kind, id, amount_minor }) => ({ kind, id, amountMinor: BigInt(amount_minor) }));
}

/** What deductions come to. */
export const sumOfDeductions = (all: readonly Deduction[]): bigint =>
	all.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** Stores which refunds and disputes a settlement deducted. */
export async function recordDeductions(
	tx: Database,
	settlementId: string,
	deductions: readonly Deduction[],
): Promise<void> {
	await tx.query(
		`insert into settlement_deductions (settlement_id, object_kind, object_id, amount_minor)
		 select $1, * from unnest($2::text[], $3::uuid[], $4::bigint[])`,
		[
			...[settlementId, deductions.map(({ kind }) => kind), deductions.map(({ id }) => id)],
			deductions.map(({ amountMinor }) => amountMinor),
		],
	);
}

/** Returns what of the deductions of a settlement is explained by refunds and disputes. */
export async function explainedDeductions(db: Database, settlementId: string): Promise<bigint> {
	const [row] = await db.query<{ sum: string }>(
		"select coalesce(sum(amount_minor), 0)::bigint as sum from settlement_deductions where settlement_id = $1",
		[settlementId],
	);
	return BigInt(row?.sum ?? 0);
}
