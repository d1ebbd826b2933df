import type { Operation } from "../money/operation.ts";
import { monthsOf, type PlanVersion } from "../terms/plan.ts";
import { monthsAfter } from "./anchored-month.ts";
import { stateAt } from "./state.ts";
import { daysAfter, type FullSubscription, type PaidLine } from "./subscription.ts";

/** How long a failed renewal leaves everything as it was, in days. */
const retriedDays = 14;

/** The boundaries that follow from the end of a paid period: a cancelled one expires there, another when its retries are spent. */
export function boundariesAfter(
	endsAt: Date,
	{ graceDays, isCancelled }: { graceDays: number; isCancelled: boolean },
): { expiresAt: Date; graceUntil: Date } {
	const expiresAt = isCancelled ? endsAt : daysAfter(endsAt, retriedDays);
	return { expiresAt, graceUntil: daysAfter(expiresAt, graceDays) };
}

/** Where a payment made at `now` begins to count. */
export type Start = { startsAt: Date; anchorAt: Date; periodNumber: number };

/**
 * A trial is kept to its end and the period begins there; an overdue period follows the one before without a gap; what
 * has expired begins anew, with a new anchor, and so does another plan in place of an overdue one: the days between were the
 * old plan's.
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

/** Another interval begins when it was quoted, and in a trial that is paid already where that ends. */
export function startOfChange({ periodStartedAt }: FullSubscription, quotedAt: Date): Start {
	return startAt(periodStartedAt !== null && periodStartedAt > quotedAt ? periodStartedAt : quotedAt);
}

function startAt(startsAt: Date): Start {
	return { startsAt, anchorAt: startsAt, periodNumber: 1 };
}

/** When a period that starts so ends, by the calendar of the tenant. */
export function endOf(
	{ anchorAt, periodNumber }: Start,
	{ timeZone, plan }: { timeZone: string; plan: PlanVersion },
): Date {
	return monthsAfter({ anchorAt, timeZone }, periodNumber * monthsOf(plan.interval));
}

/** The subscription in a period that was paid by an operation. Who pays for a period is renewed; a change leaves that as it was. */
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

/** Gives back credit of the present line and puts another in its place. */
export function replaceLine(
	subscription: FullSubscription,
	{ line, creditMinor }: { line: PaidLine; creditMinor: bigint },
): FullSubscription {
	const { line: before, closedLines } = subscription;
	if (before === null) return { ...subscription, line };
	const closed = { ...before, creditedMinor: before.creditedMinor + creditMinor };
	return { ...subscription, line, closedLines: [...closedLines, closed] };
}
