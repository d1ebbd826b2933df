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
 * Pays a bill with what the tenant has paid before and not used. Returns what that is if it does not cover
 * the bill, 0 for an intent of the tenant's own trade, and undefined once the bill is paid. Call it inside
 * the tenant, after `lockBillsOf`.
 */
export async function spendUnused(
	tx: Database,
	intent: StoredIntent,
	{ source, now }: Asking,
): Promise<bigint | undefined> {
	const { tenantId, id, payee, currency, amountMinor } = intent;
	if (payee === "tenant") return 0n;
	const unappliedMinor = await unappliedOf(tx, currency);
	if (unappliedMinor < amountMinor) return unappliedMinor;
	const receipt = await lastBillReceipt(tx, currency);
	if (receipt === undefined) throw new Error("money without a receipt is unapplied");
	const about = { objectKind: "intent", objectId: id, source, sourceId: undefined } as const;
	const said = { kind: "asked", amountMinor };
	const evidenceId = await recordEvidence(tx, { tenantId, ...about, said, at: now });
	const settling = { tenantId, preferredId: id, receipt, unappliedMinor, evidenceId, now };
	await postJournals(tx, tenantId, await settleBills(tx, settling));
	return undefined;
}
