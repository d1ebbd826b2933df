import type { Operation } from "../money/operation.ts";
import { pendingAfter } from "./pending.ts";
import { boundariesAfter, enterPeriod, replaceLine, startOfChange, startOfNext } from "./period.ts";
import { stateAt } from "./state.ts";
import { balanceIn, type HeldSubscription, type Moment, type PaidLine } from "./subscription.ts";

/** What the treasury says was paid. */
export type Payment = { operation: Operation; paymentId: string; amountMinor: bigint; currency: string };

/**
 * A payment that arrived: what it was for is done, once. What can no longer be done (the operation was given up, another
 * came in its place, the amount is another) is kept as credit, so that no money is lost; throws what `credit` throws. Told a second time of the same
 * payment, nothing happens.
 */
export function settlePayment(held: HeldSubscription, payment: Payment, moment: Moment): HeldSubscription {
	const { operation, paymentId, amountMinor, currency } = payment;
	if (operation.paymentId === paymentId) return held;
	const isAsAsked = amountMinor === operation.amountMinor && currency === operation.currency;
	const paid = { ...operation, paymentId };
	if (operation.status === "requested" && isAsAsked && isStillOf(held, operation, moment.now))
		return complete(held, paid, moment);
	const settled: Operation =
		operation.status === "succeeded"
			? operation
			: { ...paid, status: "credited", settledAt: operation.settledAt ?? moment.now };
	return credit(putOperation(held, settled), amountMinor, currency);
}

/**
 * An attempt that failed: a renewal goes on being retried, anything else is given up and leaves everything as it was. Once it
 * was asked for again, what became of an earlier attempt is no news.
 */
export function settleFailure(
	held: HeldSubscription,
	{ operation, attempt, reason }: { operation: Operation; attempt: number; reason: string },
	{ now }: Moment,
): HeldSubscription {
	if (operation.status !== "requested" || attempt < operation.attempt) return held;
	const failed = { ...operation, failure: reason };
	if (operation.kind === "renewal") return putOperation(held, failed);
	return putOperation(held, { ...failed, status: "closed", closedBecause: "refused", settledAt: now });
}

/** Does what an operation is for, as paid. */
export function complete(held: HeldSubscription, operation: Operation, moment: Moment): HeldSubscription {
	const done: Operation = { ...operation, status: "succeeded", settledAt: moment.now };
	const settled = putOperation(
		{
			...held,
			balanceMinor: balanceIn(held, operation.currency) - operation.balanceMinor,
			balanceCurrency: operation.currency,
		},
		done,
	);
	const lineId = moment.mint();
	if (operation.kind !== "change") {
		const start = startOfNext(settled, operation.plan, moment.now);
		const entered = enterPeriod(settled, { start, operation, lineId });
		return { ...entered, addOns: operation.addOns ?? held.addOns };
	}
	const changed =
		operation.plan.interval === held.plan.interval
			? changeInPlace(settled, operation, lineId)
			: enterPeriod(settled, {
					start: startOfChange(held, operation.quotedAt ?? moment.now),
					operation,
					lineId,
				});
	const after = { ...changed, addOns: operation.addOns ?? held.addOns };
	return { ...after, pending: pendingAfter(held, after) };
}

/** The plan or the add-ons change, the period stays. What was paid for what is kept goes over to the new line. */
function changeInPlace(held: HeldSubscription, operation: Operation, lineId: string): HeldSubscription {
	const { plan, quotedAt, requestedAt, chargeMinor, creditMinor, carriedMinor, id } = operation;
	const { periodEndsAt: endsAt, periodStartedAt, cancelledAt } = held;
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
		...replaceLine(held, { line, creditMinor: creditMinor + carriedMinor }),
		plan,
		pending: null,
		...boundariesAfter(endsAt, { graceDays: plan.graceDays, isCancelled: cancelledAt !== null }),
	};
}

const laterOf = (one: Date, other: Date) => (one.getTime() < other.getTime() ? other : one);

/** Whether what was reckoned can still be done: in the same period, with the credit it counted on. */
export function isStillOf(held: HeldSubscription, operation: Operation, now: Date): boolean {
	if (operation.balanceMinor > balanceIn(held, operation.currency)) return false;
	// Credit in another currency has come since: it would be lost.
	if (held.balanceMinor > 0n && held.balanceCurrency !== operation.currency) return false;
	const isSamePeriod = held.periodEndsAt?.getTime() === operation.fromPeriodEndsAt?.getTime();
	const { status } = stateAt(held, now);
	if (operation.kind !== "change") return isSamePeriod && status !== "ACTIVE";
	return isSamePeriod && status === "ACTIVE" && held.plan.id === operation.fromPlanVersionId;
}

/**
 * The subscription with so much more credit. Throws an Error for money of another currency than the plan's or the balance's:
 * it would be in the way of every renewal, and is for somebody to look at among the dead letters.
 */
export function credit(held: HeldSubscription, minor: bigint, currency: string): HeldSubscription {
	if (held.plan.currency !== currency)
		throw new Error(`a payment in ${currency} cannot be credit of a subscription in ${held.plan.currency}`);
	if (held.balanceMinor > 0n && held.balanceCurrency !== currency)
		throw new Error(`a payment in ${currency} cannot be added to credit in ${held.balanceCurrency}`);
	return { ...held, balanceMinor: held.balanceMinor + minor, balanceCurrency: currency };
}

function putOperation(held: HeldSubscription, operation: Operation): HeldSubscription {
	const others = held.operations.filter(({ id }) => id !== operation.id);
	return { ...held, operations: [...others, operation] };
}
