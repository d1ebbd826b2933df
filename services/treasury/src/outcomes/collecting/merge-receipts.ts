import type { Database } from "@lango/postgres";
import { postJournals } from "../../ledger/ledger.store.ts";
import { uncountDuplicate } from "../../ledger/postings/collecting.ts";
import { markDuplicate, numberReceipt, removeDuplicate } from "../../receipts/receipt.store.ts";
import { isUnused, type Receipt } from "../../receipts/receipt.ts";
import { isNumbered, isSameMoney } from "./free-number.ts";

/** One payment that a query and a statement with its number counted apart. */
export type CountedTwice = { unnumbered: Receipt; known: Receipt };

/**
 * Takes the second receipt of one payment out of the books, and gives its number to the first. Returns
 * false if something of the second one is used: then nothing more of it is allocated.
 */
export async function mergeReceipts(
	tx: Database,
	{ unnumbered, known }: CountedTwice,
	{ evidenceId, now }: { evidenceId: string; now: Date },
): Promise<boolean> {
	const { tenantId, id, shortcode, custody: owner, occurredAt, payerMasked } = known;
	if (!isNumbered(known) || shortcode === null || !isUnused(known) || !isSameMoney(known, unnumbered)) {
		await markDuplicate(tx, id);
		return false;
	}
	const posting = uncountDuplicate({ ...known, shortcode, owner });
	await removeDuplicate(tx, id);
	await numberReceipt(tx, { ...unnumbered, receipt: known.receipt, occurredAt, payerMasked });
	await postJournals(tx, tenantId, [{ ...posting, source: { type: "receipt", id }, evidenceId, at: now }]);
	return true;
}
