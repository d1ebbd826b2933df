import { type Database, inTenant } from "@lango/postgres";
import { closeExplained } from "../exceptions/exception.store.ts";
import { findLocator } from "../payments/locator.store.ts";
import { findCounted, findReceipt, findReceiptOfAttempt } from "../receipts/receipt.store.ts";
import { applyOutcome } from "./apply-outcome.ts";
import type { EvidenceSource } from "./evidence/evidence.ts";
import type { StatedDispute } from "./evidence/refund-evidence.ts";

type Stated = {
	stated: StatedDispute;
	source: EvidenceSource;
	/** The id of the delivery. */
	sourceId: string | undefined;
	at: Date;
};

/** What names the exception of a dispute whose charge is not counted. Pure. */
export const uncountedException = (gatewayId: string) =>
	({ class: "missing_here", subject: `dispute ${gatewayId}` }) as const;

/**
 * Applies what the gateway states about a dispute to the charge that is disputed, of whatever tenant. Returns
 * why it could not.
 */
export async function applyStatedDispute(
	tx: Database,
	{ stated, source, sourceId, at }: Stated,
): Promise<"applied" | "not_counted" | "other_currency"> {
	const found = await locate(tx, stated);
	if (found === undefined) return "not_counted";
	return inTenant(tx, found.tenantId, async (inside) => {
		const receipt =
			(await findReceiptOfAttempt(inside, found.objectId)) ?? (await findReceipt(inside, found.objectId));
		if (receipt === undefined) return "not_counted";
		await closeExplained(inside, { ...uncountedException(stated.dispute.gatewayId), now: at });
		if (receipt.currency !== stated.currency) return "other_currency";
		const { tenantId, id: receiptId } = receipt;
		await applyOutcome(inside, { tenantId, receiptId, dispute: stated.dispute, source, sourceId, at });
		return "applied";
	});
}

/** The attempt of our reference, else the receipt of the transaction. */
const locate = async (tx: Database, { reference = "", transactionId = "" }: StatedDispute) =>
	(await findCounted(tx, "card_gateway", transactionId)) ?? (await findLocator(tx, "reference", reference));
