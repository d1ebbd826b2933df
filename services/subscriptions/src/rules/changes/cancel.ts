import { failures } from "../../failures.ts";
import { resumeRetries } from "../lifecycle/due.ts";
import { closeOpenOperation } from "../lifecycle/open-operation.ts";
import { boundariesAfter } from "../lifecycle/period.ts";
import { stateAt } from "../lifecycle/state.ts";
import { daysAfter, type FullSubscription, type Moment, openOperationOf } from "../lifecycle/subscription.ts";

/**
 * Cancels the renewal: a paid period runs to its end and expires there, an overdue one expires now. A pending
 * change is removed. Throws `nothing_to_cancel` if nothing paid is running or it is already cancelled.
 */
export function cancel(subscription: FullSubscription, { now }: Moment): FullSubscription {
	const { status } = stateAt(subscription, now);
	const { periodEndsAt, plan } = subscription;
	if (
		(status !== "ACTIVE" && status !== "PAST_DUE") ||
		periodEndsAt === null ||
		subscription.cancelledAt !== null
	)
		throw failures.nothing_to_cancel();
	const withoutOpen = closeOpenOperation(subscription, { now, because: "cancelled" });
	const endsAt = status === "ACTIVE" ? periodEndsAt : now;
	const boundaries = boundariesAfter(endsAt, { graceDays: plan.graceDays, isCancelled: true });
	return { ...withoutOpen, ...boundaries, pending: null, cancelledAt: now };
}

/** Undoes a cancellation while the paid period still runs. Throws `nothing_to_resume` otherwise. */
export function resume(subscription: FullSubscription, { now }: Moment): FullSubscription {
	const { periodEndsAt, plan, cancelledAt } = subscription;
	if (cancelledAt === null || periodEndsAt === null || stateAt(subscription, now).status !== "ACTIVE")
		throw failures.nothing_to_resume();
	const boundaries = boundariesAfter(periodEndsAt, { graceDays: plan.graceDays, isCancelled: false });
	return { ...subscription, ...boundaries, cancelledAt: null };
}

/**
 * Withdraws a pending change: a scheduled plan, or an open payment request. If the pending plan was waiting
 * for its payment, the renewal retries of the current plan resume. Throws `no_pending_change` if nothing is
 * pending.
 */
export function withdrawPending(subscription: FullSubscription, { now }: Moment): FullSubscription {
	const open = openOperationOf(subscription);
	const isWithdrawable = open !== undefined && open.kind !== "renewal";
	if (subscription.pending === null && !isWithdrawable) throw failures.no_pending_change();
	const withoutOpen = isWithdrawable
		? closeOpenOperation(subscription, { now, because: "withdrawn" })
		: subscription;
	const withdrawn = { ...withoutOpen, pending: null };
	return subscription.pending?.from === null ? resumeRetries(withdrawn, now) : withdrawn;
}

/**
 * Grants free time. A trial or a running paid period ends `days` later, and the next period begins there; an
 * overdue or expired subscription becomes active for `days` from now. Months are counted from the new end. A
 * subscription that was cancelled, or never paid, is not renewed at that end. A plan that waits for its
 * payment is no longer pending.
 */
export function grantDays(subscription: FullSubscription, days: number, { now }: Moment): FullSubscription {
	const { status } = stateAt(subscription, now);
	const { plan, periodEndsAt, cancelledAt, pending } = subscription;
	const withoutOpen = closeOpenOperation(subscription, { now, because: "time was granted" });
	if (status === "TRIAL") {
		const endsAt = daysAfter(subscription.expiresAt, days);
		const graceUntil = daysAfter(endsAt, plan.graceDays);
		return {
			...withoutOpen,
			trialEndsAt: endsAt,
			expiresAt: endsAt,
			graceUntil,
			isTrialEndingAnnounced: false,
		};
	}
	const isRunning = status === "ACTIVE" && periodEndsAt !== null;
	const endsAt = daysAfter(isRunning ? periodEndsAt : now, days);
	const isCancelled = cancelledAt !== null || periodEndsAt === null;
	const scheduled = pending?.from ? { ...pending, from: endsAt } : null;
	return {
		...withoutOpen,
		...boundariesAfter(endsAt, { graceDays: plan.graceDays, isCancelled }),
		...(isRunning ? {} : { periodStartedAt: now, line: null }),
		cancelledAt: isCancelled ? (cancelledAt ?? now) : null,
		periodEndsAt: endsAt,
		anchorAt: endsAt,
		periodNumber: 0,
		renewalAttempts: 0,
		pending: scheduled,
	};
}
