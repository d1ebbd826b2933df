import { failures } from "../../failures.ts";
import { withBalance } from "../money/amount.ts";
import type { Amount, Operation, OperationKind } from "../money/operation.ts";
import type { HeldPlan } from "../terms/plan.ts";
import { complete, isStillOf } from "./settle-payment.ts";
import {
	balanceIn,
	type Change,
	daysAfter,
	type HeldSubscription,
	type Moment,
	openOperationOf,
} from "./subscription.ts";

/** How long a first payment or a change of plan waits to be paid, in days. */
const openDays = 1;
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
	plan: HeldPlan;
	amount: Amount;
	quotedAt: Date | null;
} & Partial<Pick<Operation, "addOns" | "carriedMinor">>;

/**
 * Opens an operation in place of the one that is open, and asks for the payment. What credit covers is done at once, and
 * nobody is asked. Throws `currency_differs` when there is credit in another currency, which would be lost.
 */
export function openOperation(
	held: HeldSubscription,
	{ kind, plan, amount, quotedAt, addOns = null, carriedMinor = 0n }: Opening,
	moment: Moment,
): Change & { operation: Operation } {
	const { now } = moment;
	if (held.balanceMinor > 0n && held.balanceCurrency !== amount.currency) throw failures.currency_differs();
	const endsAt = waitedForUntil(held, kind, now);
	const operation: Operation = {
		...amount,
		...notAsked(moment),
		kind,
		plan,
		addOns,
		carriedMinor,
		fromPlanVersionId: held.plan.id,
		fromPeriodEndsAt: held.periodEndsAt,
		quotedAt,
		endsAt,
	};
	return putOpen(held, operation, moment);
}

/**
 * A renewal is waited for until its retries are over, and one that is asked for after that as long as anything; a change is for the
 * rest of a period, and not waited for beyond its end.
 */
function waitedForUntil({ periodEndsAt }: HeldSubscription, kind: OperationKind, now: Date): Date {
	const endsAt = daysAfter(now, openDays);
	const retriedUntil = daysAfter(periodEndsAt ?? now, renewalDays);
	if (kind === "renewal") return new Date(Math.max(retriedUntil.getTime(), endsAt.getTime()));
	return kind === "change" && periodEndsAt !== null && periodEndsAt < endsAt ? periodEndsAt : endsAt;
}

/** What an operation is before anybody answered it. */
function notAsked({ now, mint }: Moment) {
	const answer = { paymentId: null, failure: null, closedBecause: null, settledAt: null };
	return { ...answer, id: mint(), status: "requested" as const, attempt: 1, requestedAt: now };
}

function putOpen(
	held: HeldSubscription,
	operation: Operation,
	moment: Moment,
): Change & { operation: Operation } {
	const closed = closeOpen(held, { now: moment.now, because: "replaced" });
	const opened = { ...closed, operations: [...closed.operations, operation] };
	if (operation.amountMinor > 0n)
		return { held: opened, tells: [{ what: "billing_requested", operation }], operation };
	const done = complete(opened, operation, moment);
	return { held: done, tells: [], operation };
}

/** Asks again for what is open: the same operation, so that it is paid once. */
export function askAgain(held: HeldSubscription, operation: Operation): Change & { operation: Operation } {
	const asked = { ...operation, attempt: operation.attempt + 1, failure: null };
	return {
		held: replaceOperation(held, asked),
		tells: [{ what: "billing_requested", operation: asked }],
		operation: asked,
	};
}

/**
 * What is open, reckoned anew where there is other credit than it counts on: another operation takes its place, and is done at
 * once when credit covers it. Its id is another, for the amount of one that was asked for stays as it is. Of a tenant that is suspended
 * nothing is asked for anew.
 */
export function reckonOpenAnew(held: HeldSubscription, moment: Moment): Change {
	const asItIs = { held, tells: [] };
	const open = openOperationOf(held);
	if (open === undefined) return asItIs;
	const amount = withBalance(open, balanceIn(held, open.currency));
	if (amount.balanceMinor === open.balanceMinor) return asItIs;
	if (held.isSuspended === true && amount.amountMinor > 0n) return asItIs;
	const operation = { ...open, ...amount, ...notAsked(moment) };
	return isStillOf(held, operation, moment.now) ? putOpen(held, operation, moment) : asItIs;
}

/** Gives up the open operation, if there is one: paid later all the same, it becomes credit. */
export function closeOpen(
	held: HeldSubscription,
	{ now, because }: { now: Date; because: Closing },
): HeldSubscription {
	const open = openOperationOf(held);
	if (open === undefined) return held;
	return replaceOperation(held, {
		...open,
		status: "closed",
		closedBecause: because,
		settledAt: now,
	});
}

function replaceOperation(held: HeldSubscription, operation: Operation): HeldSubscription {
	return { ...held, operations: held.operations.map((one) => (one.id === operation.id ? operation : one)) };
}
