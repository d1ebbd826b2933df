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
 * Requests a first payment, an overdue one, or one during the trial. A repeated request for the same choice
 * reuses the operation, so it is paid once. Throws what `priceCheckout` throws.
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
	/** The open operation for the same choice. */
	open: Operation | undefined;
	/** What the tenant must acknowledge. */
	loss: Loss;
};

/**
 * What a checkout costs at `now`. Only an overdue tenant can lose something: a trial can change freely, and
 * an expired subscription has lost it already. Throws `nothing_to_pay` while a paid period runs, and
 * `currency_differs`.
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

/** The add-ons of the open request for a plan, or the current add-ons if there is no such request. */
export function requestedAddOns(subscription: FullSubscription, plan: PlanVersion): Choice["addOns"] {
	return openCheckoutOf(subscription, plan)?.addOns ?? subscription.addOns;
}

/** The open request for a whole period of a plan. A change is for the rest of a period. */
function openCheckoutOf(subscription: FullSubscription, { id }: PlanVersion): Operation | undefined {
	const open = openOperationOf(subscription);
	return open?.plan.id === id && open.kind !== "change" ? open : undefined;
}
