import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import type { Transfer } from "./transfers.ts";

type Said = (transfer: Omit<Transfer, "reference">) => PayoutSaid;

const inFlight = ({ transferCode }: Pick<Transfer, "transferCode">) =>
	({ kind: "in_flight", transferCode }) as const;
const odd: Said = (transfer) => ({ ...inFlight(transfer), oddWord: transfer.status });
const failed: Said = ({ status }) => ({ kind: "failed", code: status });

/**
 * The gateway's words for a transfer (design section 2, row 7). Any other word counts as pending, and a
 * person has to look.
 */
const words: Readonly<Record<string, Said>> = {
	received: inFlight,
	pending: inFlight,
	processing: inFlight,
	otp: ({ transferCode }) => ({ kind: "needs_otp", transferCode }),
	success: ({ amountMinor, currency, feeMinor, transferCode }) => ({
		kind: "paid",
		...{ amountMinor, currency, feeMinor, transferCode },
	}),
	failed,
	abandoned: failed,
	blocked: failed,
	rejected: failed,
	reversed: () => ({ kind: "reversed" }),
};

/** What the gateway's statement about a transfer says about its payout. */
export const saidByTransfer = (transfer: Omit<Transfer, "reference">): PayoutSaid =>
	((Object.hasOwn(words, transfer.status) ? words[transfer.status] : undefined) ?? odd)(transfer);
