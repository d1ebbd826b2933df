import { failures } from "../../failures.ts";
import { openOperation, requestPaymentAgain } from "../lifecycle/open-operation.ts";
import { stateAt } from "../lifecycle/state.ts";
import {
	balanceIn,
	type Change,
	type FullSubscription,
	type Moment,
	openOperationOf,
} from "../lifecycle/subscription.ts";
import { chargesOfPeriod, computeAmount, requireOneCurrency } from "../money/amount.ts";
import type { Amount, Operation } from "../money/operation.ts";
import { type Loss, lossOf, noLoss } from "../terms/loss.ts";
import { type Choice, isSameAddOns, type PlanVersion } from "../terms/plan.ts";

/**
 * Asks for the first payment, an overdue one, or one in the trial. Asked again for the same choice, it is the same
 * operation, so that it is paid once. Throws what `reckonCheckout` throws.
 */
export function checkOut(
	subscription: FullSubscription,
	{ plan, addOns }: Choice,
	moment: Moment,
): Change & { operation: Operation } {
	const { amount, open } = priceCheckout(subscription, { plan, addOns }, moment.now);
	if (open !== undefined) return requestPaymentAgain(subscription, open);
	return openOperation(subscription, { kind: "checkout", plan, addOns, amount, quotedAt: null }, moment);
}

type PricedCheckout = {
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
export function priceCheckout(subscription: FullSubscription, choice: Choice, now: Date): PricedCheckout {
	const { status } = stateAt(subscription, now);
	if (status === "ACTIVE") throw failures.nothing_to_pay();
	requireOneCurrency(choice);
	const open = openCheckoutOf(subscription, choice.plan);
	if (open !== undefined && isSameAddOns(requestedAddOns(subscription, choice.plan), choice.addOns))
		return { amount: open, open, loss: noLoss };
	const { currency } = choice.plan;
	const amount = computeAmount({
		charges: chargesOfPeriod(choice),
		credits: [],
		currency,
		balanceMinor: balanceIn(subscription, currency),
	});
	return {
		amount,
		open: undefined,
		loss: status === "PAST_DUE" ? lossOf(subscription, { to: choice }) : noLoss,
	};
}

/** The add-ons a plan is asked for with; those there are when it is not. */
export function requestedAddOns(subscription: FullSubscription, plan: PlanVersion): Choice["addOns"] {
	return openCheckoutOf(subscription, plan)?.addOns ?? subscription.addOns;
}

/** What is asked for a whole period of a plan; a change is for the rest of one. */
function openCheckoutOf(subscription: FullSubscription, { id }: PlanVersion): Operation | undefined {
	const open = openOperationOf(subscription);
	return open?.plan.id === id && open.kind !== "change" ? open : undefined;
}
