import type { Operation } from "../money/operation.ts";
import { creditFor, partLeft, smallerOf } from "../money/proration.ts";
import { boundariesAfter } from "./period.ts";
import { credit } from "./settle-payment.ts";
import { stateAt } from "./state.ts";
import { daysAfter, type FullSubscription, freeBalanceIn, type Moment } from "./subscription.ts";

/** Money of a payment that the platform gave back, or that the payer took back at the bank. */
export type Returned = {
	operation: Operation;
	/** What was returned now. */
	amountMinor: bigint;
	/** Whether all of the payment is returned by now. */
	isWhole: boolean;
	/** The end of the period that the operation paid for; null: it paid for none. */
	paidUntil: Date | null;
};

/**
 * Settles a payment that was returned. Credit that nothing counts on goes first, then what the current line
 * was charged; what the past used is not charged again. A period of which a payment is returned as a whole
 * ends now, and its renewal is due: then credit is taken only for what the line was not charged, and what
 * other payments paid for the time that is left becomes credit.
 */
export function settleReturn(
	initial: FullSubscription,
	{ operation, amountMinor, isWhole, paidUntil }: Returned,
	{ now }: Moment,
): FullSubscription {
	const isOfCurrent = initial.line !== null && initial.line.endsAt.getTime() === paidUntil?.getTime();
	if (isOfCurrent && isWhole && stateAt(initial, now).status === "ACTIVE") {
		const rest = amountMinor - smallerOf(chargedIn(initial), amountMinor);
		const uncharged = unchargeLine(takeCredit(initial, operation, rest), amountMinor);
		return endPeriod(creditRest(uncharged, operation, now), now);
	}
	const subscription = takeCredit(initial, operation, amountMinor);
	const rest = amountMinor - (initial.balanceMinor - subscription.balanceMinor);
	return isOfCurrent ? unchargeLine(subscription, rest) : subscription;
}

function takeCredit(
	subscription: FullSubscription,
	{ currency }: Operation,
	amountMinor: bigint,
): FullSubscription {
	const taken = smallerOf(freeBalanceIn(subscription, currency), amountMinor);
	return { ...subscription, balanceMinor: subscription.balanceMinor - taken };
}

/** What the current line was charged and not given back. */
const chargedIn = ({ line }: FullSubscription): bigint =>
	line === null ? 0n : line.chargedMinor - line.creditedMinor;

/** Credits what is still charged for the time that is left. */
function creditRest(subscription: FullSubscription, { currency }: Operation, now: Date): FullSubscription {
	const { line } = subscription;
	const leftMinor = line === null ? 0n : creditFor(chargedIn(subscription), partLeft(line, now));
	return leftMinor === 0n ? subscription : unchargeLine(credit(subscription, leftMinor, currency), leftMinor);
}

function unchargeLine(subscription: FullSubscription, amountMinor: bigint): FullSubscription {
	const { line } = subscription;
	if (line === null) return subscription;
	const creditedMinor = line.creditedMinor + smallerOf(chargedIn(subscription), amountMinor);
	return { ...subscription, line: { ...line, creditedMinor } };
}

/** The next period starts when it is paid, with a new anchor. One that has not begun leaves the trial. */
function endPeriod(subscription: FullSubscription, now: Date): FullSubscription {
	const { periodStartedAt, plan, cancelledAt, trialEndsAt } = subscription;
	if (stateAt(subscription, now).status !== "ACTIVE" || periodStartedAt === null) return subscription;
	const ended = { ...subscription, anchorAt: null, renewalAttempts: 0 };
	if (periodStartedAt < now) {
		const isCancelled = cancelledAt !== null;
		return {
			...{ ...ended, periodEndsAt: now },
			...boundariesAfter(now, { graceDays: plan.graceDays, isCancelled }),
		};
	}
	if (trialEndsAt === null) return subscription;
	return {
		...{ ...ended, periodStartedAt: null, periodEndsAt: null, expiresAt: trialEndsAt },
		graceUntil: daysAfter(trialEndsAt, plan.graceDays),
	};
}
