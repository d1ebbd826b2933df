import type { Operation } from "../money/operation.ts";
import { smallerOf } from "../money/proration.ts";
import { boundariesAfter } from "./period.ts";
import { stateAt } from "./state.ts";
import { daysAfter, type FullSubscription, freeBalanceIn, type Moment } from "./subscription.ts";

/** Money of a payment that the platform gave back, or that the payer took back at the bank. */
export type Returned = {
	operation: Operation;
	/** What was returned now. */
	amountMinor: bigint;
	/** Whether all of the payment is returned by now. */
	isWhole: boolean;
};

/**
 * Settles a payment that was returned. Credit that nothing counts on goes first, then what the current line
 * was charged; what the past used is not charged again. A period whose payment is returned as a whole ends
 * now, and its renewal is due: then credit is taken only for what the line was not charged.
 */
export function settleReturn(
	initial: FullSubscription,
	{ operation, amountMinor, isWhole }: Returned,
	moment: Moment,
): FullSubscription {
	const isOfCurrent = isOfPeriod(initial, operation);
	if (isOfCurrent && isWhole && stateAt(initial, moment.now).status === "ACTIVE") {
		const rest = amountMinor - smallerOf(chargedIn(initial), amountMinor);
		const subscription = takeCredit(initial, operation, rest);
		return endPeriod(unchargeLine(subscription, amountMinor), moment.now);
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

/** Whether an operation paid for the current period, or for a change within it. */
function isOfPeriod({ line, periodStartedAt }: FullSubscription, operation: Operation): boolean {
	if (operation.status !== "succeeded" || line === null || periodStartedAt === null) return false;
	const { settledAt } = operation;
	return operation.id === line.operationId || (settledAt !== null && settledAt >= periodStartedAt);
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
