import { failures } from "../failures.ts";
import type { Work } from "../record/change-subscription.ts";
import { checkOut, priceCheckout } from "../rules/changes/checkout.ts";
import type { Operation } from "../rules/money/operation.ts";
import { exceeded, isLoss, lossToWire } from "../rules/terms/loss.ts";
import { choiceToPay, type RequestedCheckout } from "./choice-to-pay.ts";

export type CheckoutRequest = RequestedCheckout & {
	/** Whether the tenant accepts the loss. */
	isAcknowledged: boolean;
	/** The current usage of each limit. */
	used: Readonly<Record<string, number>>;
};

/**
 * The work of a checkout request. Throws what `choiceToPay` and `checkOut` throw, and
 * `acknowledgement_required` with what would be lost.
 */
export function requestCheckout({ isAcknowledged, used, ...wanted }: CheckoutRequest): Work<Operation> {
	return async (subscription, { tx, moment }) => {
		const choice = await choiceToPay(tx, subscription, wanted);
		const { loss } = priceCheckout(subscription, choice, moment.now);
		if (isLoss(loss) && !isAcknowledged)
			throw failures.acknowledgement_required({ fields: lossToWire(loss, exceeded(loss, used)) });
		const { operation: result, ...change } = checkOut(subscription, choice, moment);
		return { ...change, result };
	};
}
