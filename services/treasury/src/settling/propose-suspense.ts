import type { Proposal, ProposedCharge } from "../exceptions/exception.ts";
import { paidByCharge } from "../gateways/card-gateway/said-by-charge.ts";
import type { Transaction } from "../gateways/card-gateway/transactions.ts";
import { suspendCard } from "../ledger/postings/collecting.ts";
import { toProposed } from "../ledger/postings/settling.ts";
import { toMinor } from "../money/amount.ts";
import type { SettlementLine } from "../settlements/settlement.ts";

/** A charge of the card gateway that has no receipt. */
export type Uncounted = Pick<
	SettlementLine,
	"transactionId" | "reference" | "amountMinor" | "feeMinor" | "currency" | "channel" | "paidAt"
>;

/** A charge as the gateway lists it. */
export function toUncounted(transaction: Transaction): Uncounted {
	const { amountMinor = transaction.amountMinor, feeMinor, paidAt, channel } = paidByCharge(transaction);
	const { id: transactionId, reference, currency } = transaction;
	return { transactionId, reference, amountMinor, feeMinor, currency, channel, paidAt };
}

/**
 * Proposes that a charge without a receipt is counted: its money lies in suspense until it is known what it
 * pays.
 */
export function proposeSuspense(charge: Uncounted): Proposal {
	const { amountMinor, feeMinor = 0n, channel = "other", currency } = charge;
	const posting = suspendCard({ amountMinor, feeMinor, channel, currency });
	return { tenant_id: null, purpose: "suspense", lines: toProposed(posting), charge: toCharge(charge) };
}

const toCharge = ({ channel, paidAt, feeMinor, ...charge }: Uncounted): ProposedCharge => ({
	...{ transaction: charge.transactionId, reference: charge.reference, currency: charge.currency },
	amount_minor: toMinor(charge.amountMinor),
	...(feeMinor !== undefined && { fee_minor: toMinor(feeMinor) }),
	...(channel !== undefined && { channel }),
	...(paidAt !== undefined && { paid_at: paidAt.toISOString() }),
});
