import type { Database } from "@lango/postgres";
import type { Payout } from "../../payouts/payout.ts";
import { recordMoneyOut } from "../../receipts/money-out.store.ts";
import { findRecipient } from "../../recipients/recipient.store.ts";
import type { PayoutSaid } from "../evidence/payout-evidence.ts";
import type { PayoutOutcome } from "./payout-outcome.ts";

type Applied = { payout: Payout; said: PayoutSaid; at: Date };

/**
 * Records the receipt of a payout that the gateway says was paid, or came back after that, if it gave it a
 * number. The payout is as it was before. Call it inside the tenant.
 */
export async function keepReceipt(
	tx: Database,
	{ payout, said, at }: Applied,
	outcome: PayoutOutcome | undefined,
): Promise<void> {
	const kind = kindOf({ payout, said }, outcome);
	const receipt = numberOf(payout, said);
	if (kind === undefined || receipt === undefined) return;
	const { tenantId, id, rail: gateway, shortcode, netMinor: amountMinor, currency } = payout;
	await recordMoneyOut(tx, {
		...{ tenantId, kind, gateway, receipt, shortcode, amountMinor, currency, now: at },
		...{ moved: { kind: "payout", id }, channel: await channelOf(tx, payout) },
		custody: gateway === "mobile_money" ? "tenant" : "platform",
		occurredAt: (said.kind === "paid" ? said.paidAt : undefined) ?? at,
	});
}

/** The number of one that was booked as paid before may come later. */
function kindOf(
	{ payout, said }: Pick<Applied, "payout" | "said">,
	outcome: PayoutOutcome | undefined,
): "payout" | "reversal" | undefined {
	if (said.kind === "paid") return outcome !== undefined || payout.status === "paid" ? "payout" : undefined;
	return outcome?.movement === "return" ? "reversal" : undefined;
}

function numberOf({ rail, transferCode }: Payout, said: PayoutSaid): string | undefined {
	if (rail === "mobile_money") return said.kind === "paid" ? said.receipt : undefined;
	return ("transferCode" in said ? said.transferCode : undefined) ?? transferCode ?? undefined;
}

/** A recipient at the card gateway is a bank account or a wallet. */
async function channelOf(tx: Database, { rail, recipientId }: Payout) {
	if (rail === "mobile_money") return "mobile_money" as const;
	const recipient = recipientId === null ? undefined : await findRecipient(tx, recipientId);
	return recipient?.type === "mobile_money" ? ("mobile_money" as const) : ("bank_transfer" as const);
}
