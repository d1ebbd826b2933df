import type { Operation } from "../money/operation.ts";
import { monthsOf, type PlanVersion } from "../terms/plan.ts";
import { monthsAfter } from "./anchored-month.ts";
import { stateAt } from "./state.ts";
import { daysAfter, type FullSubscription, type PaidLine } from "./subscription.ts";

/** How many days a failed renewal keeps full access. */
const retriedDays = 14;

/**
 * The boundaries that follow from the end of a paid period: a cancelled one expires at once, another when its
 * retries end.
 */
export function boundariesAfter(
	endsAt: Date,
	{ graceDays, isCancelled }: { graceDays: number; isCancelled: boolean },
): { expiresAt: Date; graceUntil: Date } {
	const expiresAt = isCancelled ? endsAt : daysAfter(endsAt, retriedDays);
	return { expiresAt, graceUntil: daysAfter(expiresAt, graceDays) };
}

/** Where a payment made at `now` starts to count. */
export type Start = { startsAt: Date; anchorAt: Date; periodNumber: number };

/**
 * A paid period begins at the end of a trial, or at the end of the last period if that one is overdue. It
 * begins now, with a new anchor, after an expiry, and if another plan is paid for instead of an overdue one:
 * the days between belong to the old plan.
 */
export function startOfNext(subscription: FullSubscription, plan: PlanVersion, now: Date): Start {
	const { status } = stateAt(subscription, now);
	if (status === "TRIAL") return startAt(subscription.expiresAt);
	const { periodEndsAt, anchorAt, periodNumber } = subscription;
	if (periodEndsAt === null || status === "EXPIRED" || plan.id !== subscription.plan.id) return startAt(now);
	return anchorAt === null
		? startAt(periodEndsAt)
		: { startsAt: periodEndsAt, anchorAt, periodNumber: periodNumber + 1 };
}

/**
 * A period of another interval begins at the time of the quote, or at the end of a trial that is already paid
 * for.
 */
export function startOfChange({ periodStartedAt }: FullSubscription, quotedAt: Date): Start {
	return startAt(periodStartedAt !== null && periodStartedAt > quotedAt ? periodStartedAt : quotedAt);
}

function startAt(startsAt: Date): Start {
	return { startsAt, anchorAt: startsAt, periodNumber: 1 };
}

/** When a period with this start ends, in the tenant's time zone. */
export function endOf(
	{ anchorAt, periodNumber }: Start,
	{ timeZone, plan }: { timeZone: string; plan: PlanVersion },
): Date {
	return monthsAfter({ anchorAt, timeZone }, periodNumber * monthsOf(plan.interval));
}

/**
 * Enters the period that an operation paid for. A payment renews the subscription; a change keeps its
 * cancellation.
 */
export function enterPeriod(
	subscription: FullSubscription,
	{ start, operation, lineId }: { start: Start; operation: Operation; lineId: string },
): FullSubscription {
	const { plan, kind } = operation;
	const cancelledAt = kind === "change" ? subscription.cancelledAt : null;
	const endsAt = endOf(start, { timeZone: subscription.timeZone, plan });
	const line: PaidLine = {
		id: lineId,
		operationId: operation.id,
		planVersionId: plan.id,
		startsAt: start.startsAt,
		endsAt,
		chargedMinor: operation.chargeMinor,
		creditedMinor: 0n,
	};
	return {
		...replaceLine(subscription, { line, creditMinor: operation.creditMinor }),
		plan,
		pending: null,
		periodStartedAt: start.startsAt,
		periodEndsAt: endsAt,
		anchorAt: start.anchorAt,
		periodNumber: start.periodNumber,
		cancelledAt,
		renewalAttempts: 0,
		...boundariesAfter(endsAt, { graceDays: plan.graceDays, isCancelled: cancelledAt !== null }),
	};
}

/** Credits part of the current paid line and replaces the line. */
export function replaceLine(
	subscription: FullSubscription,
	{ line, creditMinor }: { line: PaidLine; creditMinor: bigint },
): FullSubscription {
	const { line: before, closedLines } = subscription;
	if (before === null) return { ...subscription, line };
	const closed = { ...before, creditedMinor: before.creditedMinor + creditMinor };
	return { ...subscription, line, closedLines: [...closedLines, closed] };
}
