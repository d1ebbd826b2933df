import type { Operation } from "../money/operation.ts";
import { pendingAfter } from "./pending.ts";
import { boundariesAfter, enterPeriod, replaceLine, startOfChange, startOfNext } from "./period.ts";
import { stateAt } from "./state.ts";
import { balanceIn, type FullSubscription, type Moment, type PaidLine } from "./subscription.ts";

/** What the treasury says was paid. */
export type Payment = { operation: Operation; paymentId: string; amountMinor: bigint; currency: string };

/**
 * A payment that arrived: what it was for is done, once. What can no longer be done (the operation was given up, another
 * came in its place, the amount is another) is kept as credit, so that no money is lost; throws what `credit` throws. Told a second time of the same
 * payment, nothing happens.
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
 * An attempt that failed: a renewal goes on being retried, anything else is given up and leaves everything as it was. Once it
 * was asked for again, what became of an earlier attempt is no news.
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

/** Does what an operation is for, as paid. */
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

/** The plan or the add-ons change, the period stays. What was paid for what is kept goes over to the new line. */
function changeInPlace(
	subscription: FullSubscription,
	operation: Operation,
	lineId: string,
): FullSubscription {
	const { plan, quotedAt, requestedAt, chargeMinor, creditMinor, carriedMinor, id } = operation;
	const { periodEndsAt: endsAt, periodStartedAt, cancelledAt } = subscription;
	if (endsAt === null || periodStartedAt === null)
		throw new Error("a period that was not paid is not changed");
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

/** Whether what was reckoned can still be done: in the same period, with the credit it counted on. */
export function isStillValid(subscription: FullSubscription, operation: Operation, now: Date): boolean {
	if (operation.balanceMinor > balanceIn(subscription, operation.currency)) return false;
	// Credit in another currency has come since: it would be lost.
	if (subscription.balanceMinor > 0n && subscription.balanceCurrency !== operation.currency) return false;
	const isSamePeriod = subscription.periodEndsAt?.getTime() === operation.fromPeriodEndsAt?.getTime();
	const { status } = stateAt(subscription, now);
	if (operation.kind !== "change") return isSamePeriod && status !== "ACTIVE";
	return isSamePeriod && status === "ACTIVE" && subscription.plan.id === operation.fromPlanVersionId;
}

/**
 * The subscription with so much more credit. Throws an Error for money of another currency than the plan's or the balance's:
 * it would be in the way of every renewal, and is for somebody to look at among the dead letters.
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
