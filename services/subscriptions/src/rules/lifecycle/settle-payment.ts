import type { Operation } from "../money/operation.ts";
import { pendingAfter } from "./pending.ts";
import { boundariesAfter, enterPeriod, replaceLine, startOfChange, startOfNext } from "./period.ts";
import { stateAt } from "./state.ts";
import { balanceIn, type FullSubscription, type Moment, type PaidLine } from "./subscription.ts";

/** A payment that the treasury reported. */
export type Payment = { operation: Operation; paymentId: string; amountMinor: bigint; currency: string };

/**
 * Settles a received payment once: completes its operation. If the operation is closed or replaced, or the
 * amount differs, the payment becomes credit, so that no money is lost; throws what `credit` throws. A
 * repeated report of the same payment has no effect.
 */
export function settlePayment(
	subscription: FullSubscription,
	payment: Payment,
	moment: Moment,
): FullSubscription {
	const { operation, paymentId, amountMinor, currency } = payment;
	if (operation.paymentId === paymentId) return subscription;
	const isExpectedAmount = amountMinor === operation.amountMinor && currency === operation.currency;
	const paid = { ...operation, paymentId };
	if (
		operation.status === "requested" &&
		isExpectedAmount &&
		isStillValid(subscription, operation, moment.now)
	)
		return complete(subscription, paid, moment);
	const settled: Operation =
		operation.status === "succeeded"
			? operation
			: { ...paid, status: "credited", settledAt: operation.settledAt ?? moment.now };
	return credit(putOperation(subscription, settled), amountMinor, currency);
}

/**
 * Settles a failed attempt: a renewal stays open for its retries, another operation is closed without effect.
 * A failure of an earlier attempt is ignored.
 */
export function settleFailure(
	subscription: FullSubscription,
	{ operation, attempt, reason }: { operation: Operation; attempt: number; reason: string },
	{ now }: Moment,
): FullSubscription {
	if (operation.status !== "requested" || attempt < operation.attempt) return subscription;
	const failed = { ...operation, failure: reason };
	if (operation.kind === "renewal") return putOperation(subscription, failed);
	return putOperation(subscription, {
		...failed,
		status: "closed",
		closedBecause: "refused",
		settledAt: now,
	});
}

/** Completes a paid operation. */
export function complete(
	subscription: FullSubscription,
	operation: Operation,
	moment: Moment,
): FullSubscription {
	const done: Operation = { ...operation, status: "succeeded", settledAt: moment.now };
	const settled = putOperation(
		{
			...subscription,
			balanceMinor: balanceIn(subscription, operation.currency) - operation.balanceMinor,
			balanceCurrency: operation.currency,
		},
		done,
	);
	const lineId = moment.mint();
	if (operation.kind !== "change") {
		const start = startOfNext(settled, operation.plan, moment.now);
		const entered = enterPeriod(settled, { start, operation, lineId });
		return { ...entered, addOns: operation.addOns ?? subscription.addOns };
	}
	const changed =
		operation.plan.interval === subscription.plan.interval
			? changeInPlace(settled, operation, lineId)
			: enterPeriod(settled, {
					start: startOfChange(subscription, operation.quotedAt ?? moment.now),
					operation,
					lineId,
				});
	const after = { ...changed, addOns: operation.addOns ?? subscription.addOns };
	return { ...after, pending: pendingAfter(subscription, after) };
}

/** Changes the plan or the add-ons within the period. The payment for what is kept moves to the new line. */
function changeInPlace(
	subscription: FullSubscription,
	operation: Operation,
	lineId: string,
): FullSubscription {
	const { plan, quotedAt, requestedAt, chargeMinor, creditMinor, carriedMinor, id } = operation;
	const { periodEndsAt: endsAt, periodStartedAt, cancelledAt } = subscription;
	if (endsAt === null || periodStartedAt === null) throw new Error("cannot change a period that is not paid");
	const from = quotedAt ?? requestedAt;
	const line: PaidLine = {
		id: lineId,
		operationId: id,
		planVersionId: plan.id,
		startsAt: laterOf(from, periodStartedAt),
		endsAt,
		chargedMinor: chargeMinor + carriedMinor,
		creditedMinor: 0n,
	};
	return {
		...replaceLine(subscription, { line, creditMinor: creditMinor + carriedMinor }),
		plan,
		pending: null,
		...boundariesAfter(endsAt, { graceDays: plan.graceDays, isCancelled: cancelledAt !== null }),
	};
}

const laterOf = (one: Date, other: Date) => (one.getTime() < other.getTime() ? other : one);

/** Whether a priced operation can still be completed: the period is the same and its credit is available. */
export function isStillValid(subscription: FullSubscription, operation: Operation, now: Date): boolean {
	if (operation.balanceMinor > balanceIn(subscription, operation.currency)) return false;
	// Credit in another currency arrived since; completing would lose it.
	if (subscription.balanceMinor > 0n && subscription.balanceCurrency !== operation.currency) return false;
	const isSamePeriod = subscription.periodEndsAt?.getTime() === operation.fromPeriodEndsAt?.getTime();
	const { status } = stateAt(subscription, now);
	if (operation.kind !== "change") return isSamePeriod && status !== "ACTIVE";
	return isSamePeriod && status === "ACTIVE" && subscription.plan.id === operation.fromPlanVersionId;
}

/**
 * Adds credit to the subscription. Throws an Error for a currency other than the plan's or the balance's:
 * such credit would block every renewal, so the event goes to the dead letters.
 */
export function credit(subscription: FullSubscription, minor: bigint, currency: string): FullSubscription {
	if (subscription.plan.currency !== currency)
		throw new Error(
			`a payment in ${currency} cannot be credit of a subscription in ${subscription.plan.currency}`,
		);
	if (subscription.balanceMinor > 0n && subscription.balanceCurrency !== currency)
		throw new Error(`a payment in ${currency} cannot be added to credit in ${subscription.balanceCurrency}`);
	return { ...subscription, balanceMinor: subscription.balanceMinor + minor, balanceCurrency: currency };
}

function putOperation(subscription: FullSubscription, operation: Operation): FullSubscription {
	const others = subscription.operations.filter(({ id }) => id !== operation.id);
	return { ...subscription, operations: [...others, operation] };
}
