import { acrossTenants, type Database } from "@lango/postgres";
import type { Settlement, SettlementState, SettlesTo } from "./settlement.ts";

type Row = {
	id: string;
	gateway_id: string;
	gateway_status: string;
	state: SettlementState;
	currency: string;
	effective_minor: string;
	processed_minor: string | null;
	fees_minor: string | null;
	deductions_minor: string | null;
	settles_to: SettlesTo;
	settled_at: Date;
	listed_at: Date | null;
};

const columns = `id, gateway_id, gateway_status, state, currency, effective_minor, processed_minor, fees_minor, deductions_minor,
	settles_to, settled_at, listed_at`;

const fromRow = (row: Row): Settlement => ({
	...{ id: row.id, gatewayId: row.gateway_id, gatewayStatus: row.gateway_status, state: row.state },
	...{ currency: row.currency, effectiveMinor: BigInt(row.effective_minor) },
	processedMinor: row.processed_minor === null ? undefined : BigInt(row.processed_minor),
	feesMinor: row.fees_minor === null ? undefined : BigInt(row.fees_minor),
	deductionsMinor: row.deductions_minor === null ? undefined : BigInt(row.deductions_minor),
	...{ settlesTo: row.settles_to, settledAt: row.settled_at, listedAt: row.listed_at ?? undefined },
});

type Stated = Omit<Settlement, "listedAt"> & { now: Date };

/**
 * Stores a settlement as the gateway states it. One that was not paid out takes the new statement; a later
 * one of one that was changes nothing. Returns it as it is stored.
 */
export async function saveSettlement(tx: Database, stated: Stated): Promise<Settlement> {
	await tx.query(
		`insert into settlements as s (id, gateway_id, gateway_status, state, currency, effective_minor, processed_minor, fees_minor,
		   deductions_minor, settles_to, settled_at, fetched_at, next_check_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, case $4 when 'paid' then $12::timestamptz end)
		 on conflict on constraint settlements__gateway_unique do update
		   set (gateway_status, state, currency, effective_minor, processed_minor, fees_minor, deductions_minor, settles_to, settled_at,
		        fetched_at, next_check_at)
		     = (excluded.gateway_status, excluded.state, excluded.currency, excluded.effective_minor, excluded.processed_minor,
		        excluded.fees_minor, excluded.deductions_minor, excluded.settles_to, excluded.settled_at, excluded.fetched_at,
		        excluded.next_check_at)
		   where s.state = 'announced'`,
		[
			...[stated.id, stated.gatewayId, stated.gatewayStatus, stated.state, stated.currency],
			...[stated.effectiveMinor, stated.processedMinor ?? null, stated.feesMinor ?? null],
			...[stated.deductionsMinor ?? null, stated.settlesTo, stated.settledAt, stated.now],
		],
	);
	const [row] = await tx.query<Row>(`select ${columns} from settlements where gateway_id = $1`, [
		stated.gatewayId,
	]);
	if (row === undefined) throw new Error("the settlement was not stored");
	return fromRow(row);
}

/** Returns a settlement. */
export async function findSettlement(db: Database, id: string): Promise<Settlement | undefined> {
	const [row] = await db.query<Row>(`select ${columns} from settlements where id = $1`, [id]);
	return row && fromRow(row);
}

/** Notes that all lines of a settlement are stored. */
export async function markListed(tx: Database, id: string, now: Date): Promise<void> {
	await tx.query("update settlements set listed_at = $2 where id = $1 and listed_at is null", [id, now]);
}

/** Stores what became of a settlement, and when its lines are looked at again. */
export async function concludeSettlement(
	tx: Database,
	{ id, state, nextCheckAt }: Pick<Settlement, "id" | "state"> & { nextCheckAt: Date | undefined },
): Promise<void> {
	await tx.query("update settlements set state = $2, next_check_at = $3 where id = $1 and state = 'paid'", [
		...[id, state, nextCheckAt ?? null],
	]);
}

/** Stores when a settlement is looked at again. */
export async function delaySettlement(tx: Database, id: string, until: Date): Promise<void> {
	await tx.query("update settlements set next_check_at = $2 where id = $1 and state = 'paid'", [id, until]);
}

/** Lists settlements whose lines have to be looked at, by id. */
export function listDueSettlements(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string }>> {
	return db.query<{ id: string }>(
		`select id from settlements where next_check_at < $1 and ($2::uuid is null or id > $2) order by id limit $3`,
		[before, after ?? null, limit],
	);
}

/**
 * Returns when the oldest charge was made that is not settled, and the oldest settlement that is not paid
 * out; undefined if all are.
 */
export async function findOldestUnsettled(db: Database): Promise<Date | undefined> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ oldest: Date | null }>(
			`select least(
			   (select min(occurred_at) from receipts
			     where gateway = 'card_gateway' and kind = 'collection' and settled_at is null and state = 'verified'),
			   (select min(settled_at) from settlements where state = 'announced')) as oldest`,
		),
	);
	return row?.oldest ?? undefined;
}

/** Has a settlement that was paid out looked at again, also if the job is lost. */
export async function reopenSettlement(tx: Database, id: string): Promise<void> {
	await tx.query(
		"update settlements set state = 'paid', next_check_at = fetched_at where id = $1 and state <> 'announced'",
		[id],
	);
}

/** A settlement, with how many of its charges are matched. */
export type ListedSettlement = Settlement & { lines: number; matched: number; linesMinor: bigint };

type Listing = {
	id?: string;
	state?: SettlementState | undefined;
	before?: string | undefined;
	limit: number;
};

/** Lists settlements, those that were found last first; with `id`, that one. */
export async function listSettlements(
	db: Database,
	{ id, state, before, limit }: Listing,
): Promise<ListedSettlement[]> {
	const rows = await db.query<Row & { lines: number; matched: number; lines_minor: string }>(
		`select ${columns}, l.lines, l.matched, l.lines_minor from settlements s
		  cross join lateral (
		    select count(*)::int as lines, (count(*) filter (where n.state = 'matched'))::int as matched,
		           (coalesce(sum(n.amount_minor), 0) - case when bool_or(n.fee_minor is null) then coalesce(s.fees_minor, sum(n.fee_minor), 0)
		                                                else coalesce(sum(n.fee_minor), 0) end)::bigint as lines_minor
		      from settlement_lines n where n.settlement_id = s.id and n.state <> 'replaced') l
		  where ($1::text is null or state = $1) and ($2::uuid is null or id < $2) and ($4::uuid is null or id = $4)
		  order by id desc limit $3`,
		[state ?? null, before ?? null, limit, id ?? null],
	);
	return rows.map((row) => ({
		...{ ...fromRow(row), lines: row.lines, matched: row.matched, linesMinor: BigInt(row.lines_minor) },
	}));
}
