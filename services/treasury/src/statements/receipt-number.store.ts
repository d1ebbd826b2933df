import { currentTenant, type Database } from "@lango/postgres";

/** The source of a journal, and why it was posted. */
type Posted = { type: string; id: string; purpose: string };

type Row = {
	receipt_id: string;
	payment_id: string | null;
	object_id: string | null;
	kind: string;
	receipt: string | null;
};

const sourcesWithReceipts = ["receipt", "payment", "payout", "refund"];

/**
 * Lists the gateways' numbers of the money that journals are about, in the same order; null if the number is
 * missing or not known. Call it inside the tenant.
 */
export async function listReceiptNumbers(
	tx: Database,
	journals: readonly Posted[],
): Promise<ReadonlyArray<string | null>> {
	const ids = journals.filter(({ type }) => sourcesWithReceipts.includes(type)).map(({ id }) => id);
	if (ids.length === 0) return journals.map(() => null);
	const rows = await tx.query<Row>(
		`select r.id as receipt_id, null::uuid as payment_id, r.object_id, r.kind, r.receipt
		   from receipts r where r.tenant_id = $1 and (r.id = any ($2) or r.object_id = any ($2))
		 union all
		 select r.id, p.id, null, r.kind, r.receipt
		   from payments p join receipts r on r.tenant_id = p.tenant_id and r.id = p.receipt_id
		  where p.tenant_id = $1 and p.id = any ($2)`,
		[currentTenant(tx), [...new Set(ids)]],
	);
	return journals.map((one) => rows.find((row) => isOf(row, one))?.receipt ?? null);
}

/** Whether money is what a journal is about. A payout and its return have a number each. */
function isOf({ receipt_id, payment_id, object_id, kind }: Row, { type, id, purpose }: Posted): boolean {
	if (type === "receipt") return receipt_id === id && payment_id === null;
	if (type === "payment") return payment_id === id;
	if (type === "refund") return object_id === id;
	return type === "payout" && object_id === id && (kind === "reversal") === (purpose === "payout_reversed");
}
