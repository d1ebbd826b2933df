import type { Paid, Said } from "../../outcomes/evidence/evidence.ts";
import type { Channel } from "../../payments/attempt.ts";
import { readInstant } from "./read-instant.ts";
import type { Transaction } from "./transactions.ts";

/** A charge as an event or an answer states it. Amounts are in lowest units. */
export type Charge = {
	id: string;
	/** What the payer paid. */
	amountMinor: bigint;
	/** What was asked for, where the gateway says so. */
	requestedMinor: bigint | undefined;
	feesMinor: bigint | undefined;
	currency: string;
	channel: string | undefined;
	paidAt: string | undefined;
};

/** The gateway's words for the channels of its page. */
const channels: Readonly<Record<string, Channel | undefined>> = {
	card: "card",
	bank: "bank_transfer",
	bank_transfer: "bank_transfer",
	mobile_money: "mobile_money",
	ussd: "ussd",
};

/**
 * What a charge says: what was paid above the request is a fee that the payer bore, and lowers ours. Of
 * less than the request only what was paid counts.
 */
export function paidByCharge(charge: Charge): Paid {
	const { id, currency, feesMinor, requestedMinor = charge.amountMinor } = charge;
	const surplusMinor = atLeastZero(charge.amountMinor - requestedMinor);
	const amountMinor = charge.amountMinor - surplusMinor;
	const channel = channels[charge.channel ?? ""];
	return {
		...{ kind: "paid", amountMinor, currency, receipt: id, payerMasked: undefined },
		paidAt: readInstant(charge.paidAt),
		...(channel !== undefined && { channel }),
		...(feesMinor !== undefined && {
			feeMinor: atLeastZero(feesMinor - surplusMinor),
		}),
	};
}

/** The gateway's words for a payment that has no end yet. An abandoned one can still be paid. */
const pendingWords = ["abandoned", "ongoing", "pending", "processing", "queued"];

/** What the state of a transaction says about its attempt; undefined: nothing yet. */
export function saidByTransaction(transaction: Transaction): Said | undefined {
	if (transaction.status === "success") return paidByCharge(transaction);
	return transaction.status === "failed" ? { kind: "failed", code: "failed" } : undefined;
}

/**
 * Whether the state of a transaction is one that a person has to look at (design section 2, decision 7):
 * a word that is not known, or `reversed`, because no refund of ours is behind it. It counts as pending.
 */
export const isOddWord = (status: string): boolean =>
	status !== "success" && status !== "failed" && !pendingWords.includes(status);

const atLeastZero = (minor: bigint): bigint => (minor < 0n ? 0n : minor);
