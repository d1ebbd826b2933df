import { failures } from "../../failures.ts";
import { withBalance } from "../money/amount.ts";
import type { Amount, Operation, OperationKind } from "../money/operation.ts";
import type { PlanVersion } from "../terms/plan.ts";
import { complete, isStillValid } from "./settle-payment.ts";
import {
	balanceIn,
	type Change,
	daysAfter,
	type FullSubscription,
	type Moment,
	openOperationOf,
} from "./subscription.ts";

/** How long a first payment or a change of plan waits to be paid, in days. */
const operationExpiryDays = 1;
/** After the end of the period this long, a renewal is no longer waited for. */
const renewalDays = 97;

/** Why we gave up an operation ourselves. */
const closings = [
	"replaced",
	"withdrawn",
	"cancelled",
	"a change was scheduled",
	"another plan was selected",
	"time was granted",
	"unanswered",
] as const;
type Closing = (typeof closings)[number];

type PaymentOutcome = "requested" | "paid" | "credited" | "refused" | "withdrawn" | "unanswered";

/** What became of an operation, as the tenant is told: one that was given up was refused, withdrawn, or never answered. */
export function outcomeOf({
	status,
	failure,
	closedBecause,
}: Pick<Operation, "status" | "failure" | "closedBecause">): PaymentOutcome {
	if (status !== "closed") return status === "succeeded" ? "paid" : status;
	// What was closed before the reason had a place of its own has it where the treasury's word is.
	const closing = closings.find((one) => one === (closedBecause ?? failure));
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
 * Opens an operation in place of the one that is open, and asks for the payment. What credit covers is done at once, and
 * nobody is asked. Throws `currency_differs` when there is credit in another currency, which would be lost.
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
 * A renewal is waited for until its retries are over, and one that is asked for after that as long as anything; a change is for the
 * rest of a period, and not waited for beyond its end.
 */
function operationExpiry({ periodEndsAt }: FullSubscription, kind: OperationKind, now: Date): Date {
	const endsAt = daysAfter(now, operationExpiryDays);
	const retriedUntil = daysAfter(periodEndsAt ?? now, renewalDays);
	if (kind === "renewal") return new Date(Math.max(retriedUntil.getTime(), endsAt.getTime()));
	return kind === "change" && periodEndsAt !== null && periodEndsAt < endsAt ? periodEndsAt : endsAt;
}

/** What an operation is before anybody answered it. */
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

/** Asks again for what is open: the same operation, so that it is paid once. */
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
 * What is open, reckoned anew where there is other credit than it counts on: another operation takes its place, and is done at
 * once when credit covers it. Its id is another, for the amount of one that was asked for stays as it is. Of a tenant that is suspended
 * nothing is asked for anew.
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

/** Gives up the open operation, if there is one: paid later all the same, it becomes credit. */
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
