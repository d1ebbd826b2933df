import type { Database } from "@lango/postgres";
import { postJournals } from "../../ledger/ledger.store.ts";
import type { StoredIntent } from "../../payments/intent.store.ts";
import { lastBillReceipt } from "../../receipts/receipt.store.ts";
import { settleBills } from "../../unapplied/settle-bills.ts";
import { unappliedOf } from "../../unapplied/unapplied.store.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { EvidenceSource } from "../evidence/evidence.ts";

/** What makes a bill be paid from money that is there: an event or a request asks for its payment. */
type Asking = { source: Extract<EvidenceSource, "event" | "request">; now: Date };

/**
 * Pays a bill with what the tenant has paid before and not used. Returns whether it covers the bill. Call
 * it inside the tenant, after `lockBillsOf`.
 */
export async function payFromUnused(
	tx: Database,
	intent: StoredIntent,
	{ source, now }: Asking,
): Promise<boolean> {
	const { tenantId, id, currency, amountMinor } = intent;
	const unappliedMinor = await unappliedOf(tx, currency);
	if (unappliedMinor < amountMinor) return false;
	const receipt = await lastBillReceipt(tx, currency);
	if (receipt === undefined) throw new Error("money without a receipt is unapplied");
	const about = { objectKind: "intent", objectId: id, source, sourceId: undefined } as const;
	const said = { kind: "asked", amountMinor };
	const evidenceId = await recordEvidence(tx, { tenantId, ...about, said, at: now });
	const settling = { tenantId, preferredId: id, receipt, unappliedMinor, evidenceId, now };
	await postJournals(tx, tenantId, await settleBills(tx, settling));
	return true;
}
