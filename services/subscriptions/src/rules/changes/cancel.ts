import { failures } from "../../failures.ts";
import { resumeRetries } from "../lifecycle/due.ts";
import { closeOpenOperation } from "../lifecycle/open-operation.ts";
import { boundariesAfter } from "../lifecycle/period.ts";
import { stateAt } from "../lifecycle/state.ts";
import { daysAfter, type FullSubscription, type Moment, openOperationOf } from "../lifecycle/subscription.ts";

/**
 * It is not renewed: a paid period runs to its end and expires there, an overdue one expires now. A change that waited is
 * withdrawn. Throws `nothing_to_cancel` when nothing paid runs, or it is cancelled already.
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
	const free = closeOpenOperation(subscription, { now, because: "cancelled" });
	const endsAt = status === "ACTIVE" ? periodEndsAt : now;
	const boundaries = boundariesAfter(endsAt, { graceDays: plan.graceDays, isCancelled: true });
	return { ...free, ...boundaries, pending: null, cancelledAt: now };
}

/** A cancelled subscription whose period still runs is renewed after all. Throws `nothing_to_resume` for any other. */
export function resume(subscription: FullSubscription, { now }: Moment): FullSubscription {
	const { periodEndsAt, plan, cancelledAt } = subscription;
	if (cancelledAt === null || periodEndsAt === null || stateAt(subscription, now).status !== "ACTIVE")
		throw failures.nothing_to_resume();
	const boundaries = boundariesAfter(periodEndsAt, { graceDays: plan.graceDays, isCancelled: false });
	return { ...subscription, ...boundaries, cancelledAt: null };
}

/**
 * Withdraws what waits: a plan that was to come, or a payment that was asked for. Of a plan that waited to be paid the retries
 * of the one before it are taken up again. Throws `no_pending_change` when nothing waits.
 */
export function withdrawPending(subscription: FullSubscription, { now }: Moment): FullSubscription {
	const open = openOperationOf(subscription);
	const isWithdrawable = open !== undefined && open.kind !== "renewal";
	if (subscription.pending === null && !isWithdrawable) throw failures.no_pending_change();
	const free = isWithdrawable
		? closeOpenOperation(subscription, { now, because: "withdrawn" })
		: subscription;
	const withdrawn = { ...free, pending: null };
	return subscription.pending?.from === null ? resumeRetries(withdrawn, now) : withdrawn;
}

/**
 * Time that is given: a trial or a paid period ends so much later, and the next period begins there; what is overdue or
 * expired runs for so long from now. Months are counted from the new end. Who had cancelled, or never paid for a period, is not
 * renewed where it ends. A plan that waited to be paid does so no longer.
 */
export function grantDays(subscription: FullSubscription, days: number, { now }: Moment): FullSubscription {
	const { status } = stateAt(subscription, now);
	const { plan, periodEndsAt, cancelledAt, pending } = subscription;
	const free = closeOpenOperation(subscription, { now, because: "time was granted" });
	if (status === "TRIAL") {
		const endsAt = daysAfter(subscription.expiresAt, days);
		const graceUntil = daysAfter(endsAt, plan.graceDays);
		return { ...free, trialEndsAt: endsAt, expiresAt: endsAt, graceUntil, isTrialEndingAnnounced: false };
	}
	const isRunning = status === "ACTIVE" && periodEndsAt !== null;
	const endsAt = daysAfter(isRunning ? periodEndsAt : now, days);
	const isCancelled = cancelledAt !== null || periodEndsAt === null;
	const scheduled = pending?.from ? { ...pending, from: endsAt } : null;
	return {
		...free,
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
