import type { PayoutSaid } from "../../outcomes/evidence/payout-evidence.ts";
import type { Transfer } from "./transfers.ts";

type Said = (transfer: Omit<Transfer, "reference">) => PayoutSaid;

const inFlight: Said = ({ transferCode }) => ({ kind: "in_flight", transferCode });
const failed: Said = ({ status }) => ({ kind: "failed", code: status });

/** The gateway's words for a transfer (design section 2, row 7). Any other word counts as pending. */
const words: Readonly<Record<string, Said>> = {
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
	((Object.hasOwn(words, transfer.status) ? words[transfer.status] : undefined) ?? inFlight)(transfer);
