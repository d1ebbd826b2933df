import { failures } from "../../failures.ts";
import { renewalDays, resumeRetries } from "../lifecycle/due.ts";
import { closeOpenOperation } from "../lifecycle/open-operation.ts";
import { stateAt } from "../lifecycle/state.ts";
import { daysAfter, type FullSubscription, type Moment, openOperationOf } from "../lifecycle/subscription.ts";
import { requireOneCurrency } from "../money/amount.ts";
import type { PlanVersion } from "../terms/plan.ts";

/** Creates a tenant's first subscription: a trial of the plan (spec §3). */
export function beginTrial(
	{ tenantId, plan, timeZone }: { tenantId: string; plan: PlanVersion; timeZone: string },
	now: Date,
): FullSubscription {
	return {
		tenantId,
		version: 0,
		plan,
		pending: null,
		addOns: [],
		overrides: { features: {}, limits: {}, products: [] },
		...trialOf(plan, now),
		timeZone,
		anchorAt: null,
		periodNumber: 0,
		cancelledAt: null,
		renewalAttempts: 0,
		balanceMinor: 0n,
		balanceCurrency: null,
		line: null,
		closedLines: [],
		announcedState: "TRIAL full",
		operations: [],
	};
}

function trialOf(plan: PlanVersion, now: Date) {
	const endsAt = daysAfter(now, plan.trialDays);
	return {
		trialStartedAt: now,
		trialEndsAt: endsAt,
		periodStartedAt: null,
		periodEndsAt: null,
		expiresAt: endsAt,
		graceUntil: daysAfter(endsAt, plan.graceDays),
		isTrialEndingAnnounced: false,
	};
}

/**
 * Selects another plan before anything is paid. In a trial the plan and its grace period change, and the end
 * of the trial stays. After an expiry a tenant that never had a trial gets one; otherwise the plan waits for
 * its payment. Selecting the current plan changes nothing. Throws `change_needs_quote` while a paid period
 * runs, `payment_overdue` while a renewal is unpaid, and `currency_differs` if an add-on is priced in another
 * currency.
 */
export function selectPlan(
	subscription: FullSubscription,
	plan: PlanVersion,
	{ now }: Moment,
): FullSubscription {
	const { status } = stateAt(subscription, now);
	if (status === "ACTIVE") throw failures.change_needs_quote();
	if (status === "PAST_DUE") throw failures.payment_overdue();
	requireOneCurrency({ plan, addOns: subscription.addOns });
	const isFirstTrial = status === "EXPIRED" && subscription.trialEndsAt === null;
	if (plan.id === subscription.plan.id && !isFirstTrial) return keepPlan(subscription, now);
	const withoutOpen = closeOpenOperation(subscription, { now, because: "another plan was selected" });
	if (status === "TRIAL") {
		const graceUntil = daysAfter(subscription.expiresAt, plan.graceDays);
		return { ...withoutOpen, plan, graceUntil, pending: null };
	}
	const stopped = { ...withoutOpen, renewalAttempts: renewalDays.length };
	if (isFirstTrial)
		return { ...stopped, ...trialOf(plan, now), plan, pending: null, cancelledAt: null, line: null };
	return { ...stopped, pending: { plan, addOns: null, from: null } };
}

/** Keeps the current plan: removes a pending plan and its payment request. */
function keepPlan(subscription: FullSubscription, now: Date): FullSubscription {
	const isOwn = openOperationOf(subscription)?.plan.id === subscription.plan.id;
	const withoutOpen = isOwn
		? subscription
		: closeOpenOperation(subscription, { now, because: "another plan was selected" });
	return subscription.pending === null ? withoutOpen : resumeRetries({ ...withoutOpen, pending: null }, now);
}
