import { failures } from "../../failures.ts";
import { renewalDays, takeUpRetries } from "../lifecycle/due.ts";
import { closeOpen } from "../lifecycle/open-operation.ts";
import { stateAt } from "../lifecycle/state.ts";
import { daysAfter, type HeldSubscription, type Moment, openOperationOf } from "../lifecycle/subscription.ts";
import { requireOneCurrency } from "../money/amount.ts";
import type { HeldPlan } from "../terms/plan.ts";

/** A tenant's first subscription: a trial of the plan (spec §3). */
export function beginTrial(
	{ tenantId, plan, timeZone }: { tenantId: string; plan: HeldPlan; timeZone: string },
	now: Date,
): HeldSubscription {
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
		renewalsAsked: 0,
		balanceMinor: 0n,
		balanceCurrency: null,
		line: null,
		closedLines: [],
		toldState: "TRIAL full",
		operations: [],
	};
}

function trialOf(plan: HeldPlan, now: Date) {
	const endsAt = daysAfter(now, plan.trialDays);
	return {
		trialStartedAt: now,
		trialEndsAt: endsAt,
		periodStartedAt: null,
		periodEndsAt: null,
		expiresAt: endsAt,
		graceUntil: daysAfter(endsAt, plan.graceDays),
		isTrialEndingTold: false,
	};
}

/**
 * Another choice before anything is paid. In a trial the plan changes, its own grace follows, and the end stays; after an expiry it is a trial if
 * the tenant never had one, and otherwise it waits to be paid. The plan one has changes nothing. Throws `change_needs_quote`
 * while a paid one runs, `payment_overdue` while it is to be paid, and `currency_differs` beside an add-on in another currency.
 */
export function selectPlan(held: HeldSubscription, plan: HeldPlan, { now }: Moment): HeldSubscription {
	const { status } = stateAt(held, now);
	if (status === "ACTIVE") throw failures.change_needs_quote();
	if (status === "PAST_DUE") throw failures.payment_overdue();
	requireOneCurrency({ plan, addOns: held.addOns });
	const isFirstTrial = status === "EXPIRED" && held.trialEndsAt === null;
	if (plan.id === held.plan.id && !isFirstTrial) return keepPlan(held, now);
	const free = closeOpen(held, { now, because: "another plan was selected" });
	if (status === "TRIAL") {
		const graceUntil = daysAfter(held.expiresAt, plan.graceDays);
		return { ...free, plan, graceUntil, pending: null };
	}
	const stopped = { ...free, renewalsAsked: renewalDays.length };
	if (isFirstTrial)
		return { ...stopped, ...trialOf(plan, now), plan, pending: null, cancelledAt: null, line: null };
	return { ...stopped, pending: { plan, addOns: null, from: null } };
}

/** The plan one has after all: another one that waits, or is asked for, does so no longer. */
function keepPlan(held: HeldSubscription, now: Date): HeldSubscription {
	const isOwn = openOperationOf(held)?.plan.id === held.plan.id;
	const free = isOwn ? held : closeOpen(held, { now, because: "another plan was selected" });
	return held.pending === null ? free : takeUpRetries({ ...free, pending: null }, now);
}
