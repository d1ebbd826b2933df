import { chargesOfPeriod, reckon } from "../billing/amount.ts";
import { askAgain, closeOpen, openOperation } from "../billing/open-operation.ts";
import type { Amount, Operation } from "../billing/operation.ts";
import type { HeldPlan } from "../catalogue/held-plan.ts";
import { failures } from "../failures.ts";
import { renewalDays } from "./due.ts";
import {
	balanceIn,
	type Change,
	daysAfter,
	type HeldSubscription,
	type Moment,
	openOperationOf,
} from "./held-subscription.ts";
import { stateAt } from "./subscription.ts";

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
 * Another choice before anything is paid. In a trial the plan changes and the end stays; after an expiry it is a trial if
 * the tenant never had one, and otherwise it waits to be paid. Throws `change_needs_quote` while a paid one runs.
 */
export function selectPlan(held: HeldSubscription, plan: HeldPlan, { now }: Moment): HeldSubscription {
	const { status } = stateAt(held, now);
	if (status === "ACTIVE" || status === "PAST_DUE") throw failures.change_needs_quote();
	const free = closeOpen(held, { now, because: "another plan was selected" });
	if (status === "TRIAL") return { ...free, plan, pending: null };
	const stopped = { ...free, renewalsAsked: renewalDays.length };
	if (held.trialEndsAt === null)
		return { ...stopped, ...trialOf(plan, now), plan, pending: null, cancelledAt: null, line: null };
	return { ...stopped, pending: { plan, addOns: null, from: null } };
}

/**
 * Asks for the first payment, an overdue one, or one in the trial. Asked again for the same plan, it is the same
 * operation, so that it is paid once. Throws `nothing_to_pay` while a paid period runs.
 */
export function checkOut(
	held: HeldSubscription,
	plan: HeldPlan,
	moment: Moment,
): Change & { operation: Operation } {
	const { amount, open } = reckonCheckout(held, plan, moment.now);
	if (open !== undefined) return askAgain(held, open);
	return openOperation(held, { kind: "checkout", plan, amount, quotedAt: null }, moment);
}

/**
 * What a checkout of the plan comes to at `now`; `open` is what was asked for it already. Throws `nothing_to_pay` while a paid
 * period runs.
 */
export function reckonCheckout(
	held: HeldSubscription,
	plan: HeldPlan,
	now: Date,
): { amount: Amount; open: Operation | undefined } {
	if (stateAt(held, now).status === "ACTIVE") throw failures.nothing_to_pay();
	const open = openOperationOf(held);
	if (open !== undefined && open.plan.id === plan.id) return { amount: open, open };
	const amount = reckon({
		charges: chargesOfPeriod({ plan, addOns: held.addOns }),
		credits: [],
		currency: plan.currency,
		balanceMinor: balanceIn(held, plan.currency),
	});
	return { amount, open: undefined };
}
