import { smallerOf } from "../money/proration.ts";
import { daysAfter, type FullSubscription, freeBalanceIn } from "./subscription.ts";

/** Overage to be billed. The amount is `units` × `unitPriceMinor`, in lowest units of the currency. */
export type OverageLine = {
	metric: string;
	units: bigint;
	unitPriceMinor: bigint;
	amountMinor: bigint;
	currency: string;
};

export type OverageBillStatus = "requested" | "paid" | "unpaid";
/** What was used of one metric at one price. The currency is the bill's. */
export type OverageBillLine = Omit<OverageLine, "currency">;

/** What a tenant pays for the overage of a period that ended: `amount = charge − balance`, in lowest units. Its id is the operation's. */
export type OverageBill = {
	id: string;
	tenantId: string;
	periodEndsAt: Date;
	currency: string;
	/** The sum of the lines. */
	chargeMinor: bigint;
	/** Taken from the credit of the subscription. */
	balanceMinor: bigint;
	amountMinor: bigint;
	lines: readonly OverageBillLine[];
	status: OverageBillStatus;
	attempt: number;
	/** When it is asked for again, or given up; null: neither. */
	nextStepAt: Date | null;
	paymentId: string | null;
	failure: string | null;
	billedAt: Date;
	settledAt: Date | null;
};

/** Days after the bill on which it is asked for, as for a renewal (spec §3). */
const attemptDays: readonly number[] = [0, 1, 3, 5, 7, 10, 14];
/** The last question is waited for so long, in days. */
const lastAttemptWaitDays = 1;

/**
 * When the last period that is over by `now` ended; null when none is. What was used in the grace after a paid period ends
 * with the grace. Nobody is billed who never paid for a period: what a trial used is billed with the first one.
 */
export function overageClosedAt(
	{
		periodStartedAt,
		periodEndsAt,
		graceUntil,
	}: Pick<FullSubscription, "periodStartedAt" | "periodEndsAt" | "graceUntil">,
	now: Date,
): Date | null {
	if (periodEndsAt === null) return null;
	const [last] = [graceUntil, periodEndsAt, periodStartedAt].filter((at) => at !== null && at <= now);
	return last ?? null;
}

type Drafting = { lines: readonly OverageLine[]; periodEndsAt: Date; now: Date; mint: () => string };

/**
 * The bills for lines that were taken, one a currency, and the subscription with what credit they used: none that a payment
 * which is asked for counts on.
 */
export function draftBills(
	initial: FullSubscription,
	{ lines, periodEndsAt, now, mint }: Drafting,
): { subscription: FullSubscription; bills: OverageBill[] } {
	let subscription = initial;
	const bills: OverageBill[] = [];
	for (const currency of new Set(lines.map((line) => line.currency))) {
		const own = lines.filter((line) => line.currency === currency);
		const chargeMinor = own.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
		const balanceMinor = smallerOf(freeBalanceIn(subscription, currency), chargeMinor);
		subscription = { ...subscription, balanceMinor: subscription.balanceMinor - balanceMinor };
		const amountMinor = chargeMinor - balanceMinor;
		const isCovered = amountMinor === 0n;
		bills.push({
			id: mint(),
			tenantId: subscription.tenantId,
			periodEndsAt,
			currency,
			chargeMinor,
			balanceMinor,
			amountMinor,
			lines: own.map(({ currency: _, ...line }) => line),
			status: isCovered ? "paid" : "requested",
			attempt: 1,
			nextStepAt: isCovered ? null : stepAfter(now, now),
			paymentId: null,
			failure: null,
			billedAt: now,
			settledAt: isCovered ? now : null,
		});
	}
	return { subscription, bills };
}

/** The next moment to ask; after the last one, when it is given up. */
function stepAfter(billedAt: Date, now: Date): Date {
	const day = attemptDays.find((one) => daysAfter(billedAt, one) > now);
	return day === undefined ? daysAfter(now, lastAttemptWaitDays) : daysAfter(billedAt, day);
}

/** What a bill comes to whose next step has come: asked for again, or given up once it was asked for the last time. */
export function takeStep(bill: OverageBill, now: Date): OverageBill {
	const { status, nextStepAt, billedAt, attempt } = bill;
	if (status !== "requested" || nextStepAt === null || nextStepAt > now) return bill;
	if (nextStepAt > daysAfter(billedAt, attemptDays.at(-1) ?? 0))
		return { ...bill, status: "unpaid", nextStepAt: null };
	return { ...bill, attempt: attempt + 1, nextStepAt: stepAfter(billedAt, now) };
}

export type BillPayment = { paymentId: string; amountMinor: bigint; currency: string };

/** A bill as paid, also one that was given up; undefined when it is paid already, or the amount is not what was asked for. */
export function paidBill(bill: OverageBill, payment: BillPayment, now: Date): OverageBill | undefined {
	const { paymentId, amountMinor, currency } = payment;
	if (bill.status === "paid" || amountMinor !== bill.amountMinor || currency !== bill.currency)
		return undefined;
	return { ...bill, status: "paid", paymentId, nextStepAt: null, settledAt: now };
}
