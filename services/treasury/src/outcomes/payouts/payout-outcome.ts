import { isEnded, type Payout, type PayoutRail, type PayoutStatus, rankOf } from "../../payouts/payout.ts";
import type { PayoutSaid } from "../evidence/payout-evidence.ts";

/** The movement of money that a change of a payout is. */
export type PayoutMovement = "release" | "pay" | "hold_late_and_pay" | "return" | "none";

/** What a payout becomes. */
export type PayoutOutcome = { status: PayoutStatus; movement: PayoutMovement };

type Said = PayoutSaid["kind"];

const statusOf: Readonly<Record<Exclude<Said, "not_sent">, PayoutStatus>> = {
	approved: "approved",
	rejected: "rejected",
	cancelled: "cancelled",
	submitted: "submitting",
	unknown: "unknown",
	needs_otp: "needs_otp",
	in_flight: "in_flight",
	failed: "failed",
	paid: "paid",
	reversed: "reversed",
};

/** From where a decision or a sending is possible; everything else a gateway may say at any time. */
const startsOf: Readonly<Partial<Record<Said, readonly PayoutStatus[]>>> = {
	approved: ["awaiting_approval"],
	rejected: ["awaiting_approval", "approved"],
	cancelled: ["awaiting_approval", "approved"],
	submitted: ["approved"],
	not_sent: ["submitting"],
	unknown: ["submitting"],
};

/**
 * What evidence makes of a payout (the table of design section 6); undefined: nothing. The rank rises,
 * but for `submitting` when nothing was sent. A success and a reversal are never replaced by a
 * failure, and money that moved wins over an earlier failure. Pure.
 */
export function payoutOutcomeOf(status: PayoutStatus, said: Said): PayoutOutcome | undefined {
	if (startsOf[said]?.includes(status) === false) return undefined;
	if (said === "not_sent") return { status: "approved", movement: "none" };
	const next = statusOf[said];
	if (rankOf[next] <= rankOf[status]) return undefined;
	return { status: next, movement: movementOf(status, next) };
}

function movementOf(from: PayoutStatus, to: PayoutStatus): PayoutMovement {
	const hasHold = !isEnded(from);
	if (to === "paid") return hasHold ? "pay" : "hold_late_and_pay";
	if (to === "reversed" && from === "paid") return "return";
	return isEnded(to) && hasHold ? "release" : "none";
}

/** What of a payout differs from what the gateway says was paid. Pure. */
export function differenceOf(
	{ netMinor, currency }: Pick<Payout, "netMinor" | "currency">,
	said: PayoutSaid,
): "amount" | "currency" | undefined {
	if (said.kind !== "paid") return undefined;
	if (said.currency !== undefined && said.currency !== currency) return "currency";
	return said.amountMinor !== undefined && said.amountMinor !== netMinor ? "amount" : undefined;
}

/** A payout from the tenant's own shortcode has no hold: only what was paid moves money. Pure. */
export function movementBy(rail: PayoutRail, movement: PayoutMovement): PayoutMovement {
	if (rail === "card_gateway") return movement;
	return movement === "pay" || movement === "hold_late_and_pay" ? "pay" : "none";
}
