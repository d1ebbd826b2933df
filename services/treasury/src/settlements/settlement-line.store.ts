import { acrossTenants, type Database } from "@lango/postgres";
import { type LineState, type SettlementLine, unsettledStates } from "./settlement.ts";

type Row = {
	id: string;
	settlement_id: string;
	transaction_id: string;
	reference: string;
	amount_minor: string;
	fee_minor: string | null;
	currency: string;
	channel: string | null;
	paid_at: Date | null;
	state: LineState;
};

const columns =
	"id, settlement_id, transaction_id, reference, amount_minor, fee_minor, currency, channel, paid_at, state";

const fromRow = (row: Row): SettlementLine => ({
	...{ id: row.id, settlementId: row.settlement_id, transactionId: row.transaction_id },
	...{ reference: row.reference, amountMinor: BigInt(row.amount_minor) },
	feeMinor: row.fee_minor === null ? undefined : BigInt(row.fee_minor),
	...{ currency: row.currency, channel: row.channel ?? undefined, paidAt: row.paid_at ?? undefined },
	state: row.state,
});

/** Stores lines of a settlement. Those that are stored stay as they are. Returns how many were added. */
export async function recordLines(
	tx: Database,
	lines: ReadonlyArray<Omit<SettlementLine, "state">>,
	state: LineState = "open",
): Promise<number> {
	const added = await tx.query(
		`insert into settlement_lines (id, settlement_id, transaction_id, reference, amount_minor, fee_minor, currency, channel, paid_at,
		   state)
		 select *, $10 from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
		   $8::text[], $9::timestamptz[])
		 on conflict on constraint settlement_lines__transaction_unique do nothing returning id`,
		[
			...[lines.map(({ id }) => id), lines.map(({ settlementId }) => settlementId)],
			...[lines.map(({ transactionId }) => transactionId), lines.map(({ reference }) => reference)],
			...[lines.map(({ amountMinor }) => amountMinor), lines.map(({ feeMinor }) => feeMinor ?? null)],
			...[lines.map(({ currency }) => currency), lines.map(({ channel }) => channel ?? null)],
			...[lines.map(({ paidAt }) => paidAt ?? null), state],
		],
	);
	return added.length;
}

/** Lists lines of a settlement in some states after an id, by id. */
export async function listLines(
	db: Database,
	{ settlementId, states, after, limit }: LineQuery,
): Promise<SettlementLine[]> {
	const rows = await db.query<Row>(
		`select ${columns} from settlement_lines
		  where settlement_id = $1 and state = any ($2::text[]) and ($3::uuid is null or id > $3) order by id limit $4`,
		[settlementId, states, after ?? null, limit],
	);
	return rows.map(fromRow);
}

type LineQuery = {
	settlementId: string;
	states: readonly LineState[];
	after: string | undefined;
	limit: number;
};

/** Stores what became of a line. */
export async function changeLineState(tx: Database, id: string, state: LineState): Promise<void> {
	await tx.query("update settlement_lines set state = $2 where id = $1 and state <> 'matched'", [id, state]);
}

/** Returns the state of a line, locked. */
export async function lockLineState(tx: Database, id: string): Promise<LineState | undefined> {
	const [row] = await tx.query<{ state: LineState }>(
		"select state from settlement_lines where id = $1 for update",
		[id],
	);
	return row?.state;
}

/**
 * Returns the state of a line that settles its receipt, locked; undefined if it is settled already, or an
 * operator has decided otherwise meanwhile.
 */
export async function lockUnsettled(tx: Database, id: string): Promise<LineState | undefined> {
	const state = await lockLineState(tx, id);
	return unsettledStates.find((one) => one === state);
}

/** The locator of the receipt of a line's charge. */
const ofCharge = "l.kind = 'receipt' and l.value = 'card_gateway:collection:' || n.transaction_id";

/** The receipts of `lines`, of all tenants. On a cluster each node joins its own with the lines. */
const charges = `charges as materialized (
		   select r.id, r.tenant_id, r.amount_minor, r.fee_minor
		     from lines n join receipts r on r.tenant_id = n.tenant_id and r.id = n.receipt_id
		 )`;

/** What the lines of a settlement come to, and how many are not matched. */
export type LineSums = {
	amountMinor: bigint;
	/** What the lines state, and of those that state nothing what is posted. */
	feesMinor: bigint;
	/** How many lines state no fee. */
	unstated: number;
	missing: number;
	differing: number;
	/** How many wait for the operator's confirmation. */
	proposed: number;
};

type SumRow = { amount: string; fees: string } & Omit<LineSums, "amountMinor" | "feesMinor">;

/** Counts the lines of a settlement, and adds up those of its currency, as the platform owner. */
export async function sumLines(
	db: Database,
	{ settlementId, currency }: { settlementId: string; currency: string },
): Promise<LineSums> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<SumRow>(
			`with lines as (
			   select n.*, l.tenant_id, l.object_id as receipt_id
			     from settlement_lines n left join locators l on n.fee_minor is null and ${ofCharge}
			    where n.settlement_id = $1 and n.state <> 'replaced'
			 ), ${charges}
			 select coalesce(sum(n.amount_minor) filter (where n.currency = $2), 0)::bigint as amount,
			        coalesce(sum(coalesce(n.fee_minor, r.fee_minor)) filter (where n.currency = $2), 0)::bigint as fees,
			        (count(*) filter (where n.fee_minor is null and n.currency = $2))::int as unstated,
			        (count(*) filter (where n.state in ('open', 'missing', 'accepted')))::int as missing,
			        (count(*) filter (where n.state = 'differs'))::int as differing,
			        (count(*) filter (where n.state = 'proposed'))::int as proposed
			   from lines n left join charges r on r.tenant_id = n.tenant_id and r.id = n.receipt_id`,
			[settlementId, currency],
		),
	);
	if (row === undefined) throw new Error("a sum returned no row");
	const { amount, fees, ...counts } = row;
	return { amountMinor: BigInt(amount), feesMinor: BigInt(fees), ...counts };
}

/** Stores what was decided about a line that is not matched. Returns its settlement. */
export async function decideLine(
	tx: Database,
	id: string,
	state: "accepted" | "waived" | "replaced",
): Promise<string | undefined> {
	const [row] = await tx.query<{ settlement_id: string }>(
		"update settlement_lines set state = $2 where id = $1 and state <> 'matched' returning settlement_id",
		[id, state],
	);
	return row?.settlement_id;
}

/** Stores what was decided about the lines of a settlement that were proposed. */
export async function decideProposed(
	tx: Database,
	settlementId: string,
	state: "open" | "waived",
): Promise<void> {
	await tx.query("update settlement_lines set state = $2 where settlement_id = $1 and state = 'proposed'", [
		...[settlementId, state],
	]);
}

/** Returns a line of a settlement. */
export async function findLine(db: Database, id: string): Promise<SettlementLine | undefined> {
	const [row] = await db.query<Row>(`select ${columns} from settlement_lines where id = $1`, [id]);
	return row && fromRow(row);
}

/** Whether a settlement contains a charge. */
export async function isInSettlement(db: Database, transactionId: string): Promise<boolean> {
	const rows = await db.query("select from settlement_lines where transaction_id = $1 limit 1", [
		transactionId,
	]);
	return rows.length > 0;
}

/** A line of a settlement beside the receipt of its charge, as the treasury has it. */
export type ComparedLine = SettlementLine & {
	receipt: { tenantId: string; id: string; amountMinor: bigint; feeMinor: bigint } | undefined;
};

/** Lists the lines of a settlement with their receipts. Call it across tenants. */
export async function listComparedLines(
	tx: Database,
	{ settlementId, after, limit }: { settlementId: string; after: string | undefined; limit: number },
): Promise<ComparedLine[]> {
	const rows = await tx.query<
		Row & {
			receipt_id: string | null;
			receipt_tenant: string | null;
			receipt_amount: string;
			receipt_fee: string;
		}
	>(
		`with lines as (
		   select n.*, l.tenant_id, l.object_id as receipt_id from settlement_lines n left join locators l on ${ofCharge}
		    where n.settlement_id = $1 and ($2::uuid is null or n.id > $2) order by n.id limit $3
		 ), ${charges}
		 select ${columns.replaceAll(/(\w+)/g, "n.$1")}, r.id as receipt_id, r.tenant_id as receipt_tenant,
		        r.amount_minor as receipt_amount, r.fee_minor as receipt_fee
		   from lines n left join charges r on r.tenant_id = n.tenant_id and r.id = n.receipt_id order by n.id`,
		[settlementId, after ?? null, limit],
	);
	return rows.map(({ receipt_id: id, receipt_tenant: tenantId, ...row }) => ({
		...fromRow(row),
		receipt:
			id === null || tenantId === null
				? undefined
				: { id, tenantId, amountMinor: BigInt(row.receipt_amount), feeMinor: BigInt(row.receipt_fee) },
	}));
}
