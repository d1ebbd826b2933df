import { failures } from "../../failures.ts";
import { askAgain, openOperation } from "../lifecycle/open-operation.ts";
import { stateAt } from "../lifecycle/state.ts";
import {
	balanceIn,
	type Change,
	type HeldSubscription,
	type Moment,
	openOperationOf,
} from "../lifecycle/subscription.ts";
import { chargesOfPeriod, reckon, requireOneCurrency } from "../money/amount.ts";
import type { Amount, Operation } from "../money/operation.ts";
import { type Loss, lossOf, noLoss } from "../terms/loss.ts";
import { type Choice, type HeldPlan, isSameAddOns } from "../terms/plan.ts";

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
