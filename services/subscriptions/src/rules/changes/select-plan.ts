import { failures } from "../../failures.ts";
import { renewalDays, takeUpRetries } from "../lifecycle/due.ts";
import { askAgain, closeOpen, openOperation } from "../lifecycle/open-operation.ts";
import { stateAt } from "../lifecycle/state.ts";
import {
	balanceIn,
	type Change,
	daysAfter,
	type HeldSubscription,
	type Moment,
	openOperationOf,
} from "../lifecycle/subscription.ts";
import { chargesOfPeriod, reckon, requireOneCurrency } from "../money/amount.ts";
import type { Amount, Operation } from "../money/operation.ts";
import { type Loss, lossOf, noLoss } from "../terms/loss.ts";
import { type Choice, type HeldPlan, isSameAddOns } from "../terms/plan.ts";

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

/**
 * Asks for the first payment, an overdue one, or one in the trial. Asked again for the same choice, it is the same
 * operation, so that it is paid once. Throws what `reckonCheckout` throws.
 */
export function checkOut(
	held: HeldSubscription,
	{ plan, addOns }: Choice,
	moment: Moment,
): Change & { operation: Operation } {
	const { amount, open } = reckonCheckout(held, { plan, addOns }, moment.now);
	if (open !== undefined) return askAgain(held, open);
	return openOperation(held, { kind: "checkout", plan, addOns, amount, quotedAt: null }, moment);
}

type ReckonedCheckout = {
	amount: Amount;
	/** What was asked for it already. */
	open: Operation | undefined;
	/** What the tenant has to acknowledge. */
	loss: Loss;
};

/**
 * What a checkout comes to at `now`. Only who is overdue loses anything by it: a trial is changed at will, and what has expired
 * is lost already. Throws `nothing_to_pay` while a paid period runs, and `currency_differs`.
 */
export function reckonCheckout(held: HeldSubscription, choice: Choice, now: Date): ReckonedCheckout {
	const { status } = stateAt(held, now);
	if (status === "ACTIVE") throw failures.nothing_to_pay();
	requireOneCurrency(choice);
	const open = checkoutAsked(held, choice.plan);
	if (open !== undefined && isSameAddOns(addOnsAsked(held, choice.plan), choice.addOns))
		return { amount: open, open, loss: noLoss };
	const { currency } = choice.plan;
	const amount = reckon({
		charges: chargesOfPeriod(choice),
		credits: [],
		currency,
		balanceMinor: balanceIn(held, currency),
	});
	return { amount, open: undefined, loss: status === "PAST_DUE" ? lossOf(held, { to: choice }) : noLoss };
}

/** The add-ons a plan is asked for with; those there are when it is not. */
export function addOnsAsked(held: HeldSubscription, plan: HeldPlan): Choice["addOns"] {
	return checkoutAsked(held, plan)?.addOns ?? held.addOns;
}

/** What is asked for a whole period of a plan; a change is for the rest of one. */
function checkoutAsked(held: HeldSubscription, { id }: HeldPlan): Operation | undefined {
	const open = openOperationOf(held);
	return open?.plan.id === id && open.kind !== "change" ? open : undefined;
}
