import { failures } from "../../failures.ts";
import { withBalance } from "../money/amount.ts";
import type { Amount, Operation, OperationKind } from "../money/operation.ts";
import type { PlanVersion } from "../terms/plan.ts";
import { type Closing, closingOf } from "./closing.ts";
import { complete, isStillValid } from "./settle-payment.ts";
import {
	balanceIn,
	type Change,
	daysAfter,
	type FullSubscription,
	type Moment,
	openOperationOf,
} from "./subscription.ts";

/** After how many days an unpaid first payment or change is closed. */
const operationExpiryDays = 1;
/** How many days after the end of a period its renewal operation stays open. */
const renewalDays = 97;

type PaymentOutcome = "requested" | "paid" | "credited" | "refused" | "withdrawn" | "unanswered";

/**
 * The outcome of an operation as the tenant sees it. A closed operation was refused, withdrawn, or not
 * answered.
 */
export function outcomeOf({
	status,
	failure,
	closedBecause,
}: Pick<Operation, "status" | "failure" | "closedBecause">): PaymentOutcome {
	if (status !== "closed") return status === "succeeded" ? "paid" : status;
	// Rows written before the column `closed_because` existed have the reason in `failure`.
	const closing = closingOf(closedBecause ?? failure);
	if (closing === undefined) return "refused";
	return closing === "unanswered" ? "unanswered" : "withdrawn";
}

export type Opening = {
	kind: OperationKind;
	plan: PlanVersion;
	amount: Amount;
	quotedAt: Date | null;
} & Partial<Pick<Operation, "addOns" | "carriedMinor">>;

/**
 * Opens an operation, closes the one that was open, and requests the payment. If credit covers the amount,
 * the operation completes at once and no payment is requested. Throws `currency_differs` if there is credit
 * in another currency, which would be lost.
 */
export function openOperation(
	subscription: FullSubscription,
	{ kind, plan, amount, quotedAt, addOns = null, carriedMinor = 0n }: Opening,
	moment: Moment,
): Change & { operation: Operation } {
	const { now } = moment;
	if (subscription.balanceMinor > 0n && subscription.balanceCurrency !== amount.currency)
		throw failures.currency_differs();
	const endsAt = operationExpiry(subscription, kind, now);
	const operation: Operation = {
		...amount,
		...newRequest(moment),
		kind,
		plan,
		addOns,
		carriedMinor,
		fromPlanVersionId: subscription.plan.id,
		fromPeriodEndsAt: subscription.periodEndsAt,
		quotedAt,
		endsAt,
	};
	return addOpenOperation(subscription, operation, moment);
}

/**
 * A renewal stays open until its retries end, and at least as long as other operations. A change stays
 * open at most until the end of the period it is for.
 */
function operationExpiry({ periodEndsAt }: FullSubscription, kind: OperationKind, now: Date): Date {
	const endsAt = daysAfter(now, operationExpiryDays);
	const retriedUntil = daysAfter(periodEndsAt ?? now, renewalDays);
	if (kind === "renewal") return new Date(Math.max(retriedUntil.getTime(), endsAt.getTime()));
	return kind === "change" && periodEndsAt !== null && periodEndsAt < endsAt ? periodEndsAt : endsAt;
}

/** The fields of a new payment request. */
function newRequest({ now, mint }: Moment) {
	const answer = { paymentId: null, failure: null, closedBecause: null, settledAt: null };
	return { ...answer, id: mint(), status: "requested" as const, attempt: 1, requestedAt: now };
}

function addOpenOperation(
	subscription: FullSubscription,
	operation: Operation,
	moment: Moment,
): Change & { operation: Operation } {
	const closed = closeOpenOperation(subscription, { now: moment.now, because: "replaced" });
	const opened = { ...closed, operations: [...closed.operations, operation] };
	if (operation.amountMinor > 0n)
		return { subscription: opened, announcements: [{ what: "billing_requested", operation }], operation };
	const done = complete(opened, operation, moment);
	return { subscription: done, announcements: [], operation };
}

/** Requests the payment of an open operation again. It keeps its id, so that it is paid once. */
export function requestPaymentAgain(
	subscription: FullSubscription,
	operation: Operation,
): Change & { operation: Operation } {
	const requested = { ...operation, attempt: operation.attempt + 1, failure: null };
	return {
		subscription: replaceOperation(subscription, requested),
		announcements: [{ what: "billing_requested", operation: requested }],
		operation: requested,
	};
}

/**
 * Reprices the open operation if the available credit has changed. A new operation replaces it, because the
 * amount of a requested operation never changes; it completes at once if credit covers it. Nothing new is
 * requested from a suspended tenant.
 */
export function repriceOpenOperation(subscription: FullSubscription, moment: Moment): Change {
	const unchanged = { subscription, announcements: [] };
	const open = openOperationOf(subscription);
	if (open === undefined) return unchanged;
	const amount = withBalance(open, balanceIn(subscription, open.currency));
	if (amount.balanceMinor === open.balanceMinor) return unchanged;
	if (subscription.isSuspended === true && amount.amountMinor > 0n) return unchanged;
	const operation = { ...open, ...amount, ...newRequest(moment) };
	return isStillValid(subscription, operation, moment.now)
		? addOpenOperation(subscription, operation, moment)
		: unchanged;
}

/** Closes the open operation, if there is one. A payment that arrives later becomes credit. */
export function closeOpenOperation(
	subscription: FullSubscription,
	{ now, because }: { now: Date; because: Closing },
): FullSubscription {
	const open = openOperationOf(subscription);
	if (open === undefined) return subscription;
	return replaceOperation(subscription, {
		...open,
		status: "closed",
		closedBecause: because,
		settledAt: now,
	});
}

function replaceOperation(subscription: FullSubscription, operation: Operation): FullSubscription {
	return {
		...subscription,
		operations: subscription.operations.map((one) => (one.id === operation.id ? operation : one)),
	};
}
