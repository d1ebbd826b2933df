import { failures } from "../../failures.ts";
import { takeUpRetries } from "../lifecycle/due.ts";
import { closeOpen } from "../lifecycle/open-operation.ts";
import { boundariesAfter } from "../lifecycle/period.ts";
import { stateAt } from "../lifecycle/state.ts";
import { daysAfter, type HeldSubscription, type Moment, openOperationOf } from "../lifecycle/subscription.ts";

/**
 * It is not renewed: a paid period runs to its end and expires there, an overdue one expires now. A change that waited is
 * withdrawn. Throws `nothing_to_cancel` when nothing paid runs, or it is cancelled already.
 */
export function cancel(held: HeldSubscription, { now }: Moment): HeldSubscription {
	const { status } = stateAt(held, now);
	const { periodEndsAt, plan } = held;
	if ((status !== "ACTIVE" && status !== "PAST_DUE") || periodEndsAt === null || held.cancelledAt !== null)
		throw failures.nothing_to_cancel();
	const free = closeOpen(held, { now, because: "cancelled" });
	const endsAt = status === "ACTIVE" ? periodEndsAt : now;
	const boundaries = boundariesAfter(endsAt, { graceDays: plan.graceDays, isCancelled: true });
	return { ...free, ...boundaries, pending: null, cancelledAt: now };
}

/** A cancelled subscription whose period still runs is renewed after all. Throws `nothing_to_resume` for any other. */
export function resume(held: HeldSubscription, { now }: Moment): HeldSubscription {
	const { periodEndsAt, plan, cancelledAt } = held;
	if (cancelledAt === null || periodEndsAt === null || stateAt(held, now).status !== "ACTIVE")
		throw failures.nothing_to_resume();
	const boundaries = boundariesAfter(periodEndsAt, { graceDays: plan.graceDays, isCancelled: false });
	return { ...held, ...boundaries, cancelledAt: null };
}

/**
 * Withdraws what waits: a plan that was to come, or a payment that was asked for. Of a plan that waited to be paid the retries
 * of the one before it are taken up again. Throws `no_pending_change` when nothing waits.
 */
export function withdrawPending(held: HeldSubscription, { now }: Moment): HeldSubscription {
	const open = openOperationOf(held);
	const isWithdrawable = open !== undefined && open.kind !== "renewal";
	if (held.pending === null && !isWithdrawable) throw failures.no_pending_change();
	const free = isWithdrawable ? closeOpen(held, { now, because: "withdrawn" }) : held;
	const withdrawn = { ...free, pending: null };
	return held.pending?.from === null ? takeUpRetries(withdrawn, now) : withdrawn;
}

/**
 * Time that is given: a trial or a paid period ends so much later, and the next period begins there; what is overdue or
 * expired runs for so long from now. Months are counted from the new end. Who had cancelled, or never paid for a period, is not
 * renewed where it ends. A plan that waited to be paid does so no longer.
 */
export function grantDays(held: HeldSubscription, days: number, { now }: Moment): HeldSubscription {
	const { status } = stateAt(held, now);
	const { plan, periodEndsAt, cancelledAt, pending } = held;
	const free = closeOpen(held, { now, because: "time was granted" });
	if (status === "TRIAL") {
		const endsAt = daysAfter(held.expiresAt, days);
		const graceUntil = daysAfter(endsAt, plan.graceDays);
		return { ...free, trialEndsAt: endsAt, expiresAt: endsAt, graceUntil, isTrialEndingTold: false };
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
		renewalsAsked: 0,
		pending: scheduled,
	};
}
