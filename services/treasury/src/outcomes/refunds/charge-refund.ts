import type { Database } from "@lango/postgres";
import { postJournals } from "../../ledger/ledger.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import { recordRefundFee } from "../../refunds/refund.store.ts";
import type { Refund } from "../../refunds/refund.ts";
import type { EvidenceSource } from "../evidence/evidence.ts";
import type { RefundSaid } from "../evidence/refund-evidence.ts";
import { isNewCharge, journalsOfCharge } from "../mirror/shortcode-charge.ts";

type Charging = {
	/** As it was before. */
	refund: Refund;
	receipt: Receipt;
	said: RefundSaid;
	source: EvidenceSource;
	evidenceId: string;
	at: Date;
};

/**
 * Posts what the gateway says that it charged the tenant's own shortcode for a refund that was processed,
 * once: with this statement, or with a later one. Call it inside the tenant.
 */
export async function chargeRefund(tx: Database, charging: Charging): Promise<void> {
	const { refund, receipt, said, source, evidenceId, at } = charging;
	const { id, tenantId, feeMinor: knownMinor } = refund;
	const { shortcode, custody, currency } = receipt;
	const saidMinor = said.kind === "processed" ? said.feeMinor : undefined;
	if (saidMinor === undefined || shortcode === null || custody !== "tenant") return;
	if (!isNewCharge({ knownMinor, saidMinor }, source)) return;
	await recordRefundFee(tx, { id, feeMinor: saidMinor });
	const of = { kind: "refund" as const, id };
	const journals = journalsOfCharge({ of, shortcode, currency, knownMinor, saidMinor, evidenceId, at });
	if (journals.length > 0) await postJournals(tx, tenantId, journals);
}
