import { smallerOf } from "../money/proration.ts";
import { daysAfter, type FullSubscription, freeBalanceIn } from "./subscription.ts";

/** Overage to bill. The amount is `units` × `unitPriceMinor`, in lowest units of the currency. */
export type OverageLine = {
	metric: string;
	units: bigint;
	unitPriceMinor: bigint;
	amountMinor: bigint;
	currency: string;
};

export type OverageBillStatus = "requested" | "paid" | "unpaid";
/** The usage of one metric at one price, in the currency of the bill. */
export type OverageBillLine = Omit<OverageLine, "currency">;

/**
 * The bill for the overage of a period that ended: `amount = charge − balance`, in lowest units. Its id is
 * also the operation id sent to the treasury.
 */
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
	/** When the payment is requested again, or the bill becomes unpaid; null: neither. */
	nextStepAt: Date | null;
	paymentId: string | null;
	failure: string | null;
	billedAt: Date;
	settledAt: Date | null;
};

/** Days after the bill on which the payment is requested, as for a renewal (spec §3). */
const attemptDays: readonly number[] = [0, 1, 3, 5, 7, 10, 14];
/** How many days after the last request the bill becomes unpaid. */
const lastAttemptWaitDays = 1;

/**
 * The end of the last period that is over at `now`; null if none is. Usage in the grace period after a paid
 * period is billed when the grace period ends. A tenant that never paid for a period is not billed: trial
 * usage is billed with the first paid period.
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
 * Drafts one bill per currency, and subtracts the credit it uses from the subscription. Credit that an open
 * operation counts on is left untouched.
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

/**
 * The next moment to request the payment; after the last request, the moment at which the bill becomes
 * unpaid.
 */
function stepAfter(billedAt: Date, now: Date): Date {
	const day = attemptDays.find((one) => daysAfter(billedAt, one) > now);
	return day === undefined ? daysAfter(now, lastAttemptWaitDays) : daysAfter(billedAt, day);
}

/** When a bill becomes unpaid if every request stays without a payment. */
export const unpaidAt = ({ billedAt }: OverageBill): Date =>
	daysAfter(billedAt, (attemptDays.at(-1) ?? 0) + lastAttemptWaitDays);

/** Takes the next step of a bill if it is due: another payment request, or unpaid after the last one. */
export function takeStep(bill: OverageBill, now: Date): OverageBill {
	const { status, nextStepAt, billedAt, attempt } = bill;
	if (status !== "requested" || nextStepAt === null || nextStepAt > now) return bill;
	if (nextStepAt > daysAfter(billedAt, attemptDays.at(-1) ?? 0))
		return { ...bill, status: "unpaid", nextStepAt: null };
	return { ...bill, attempt: attempt + 1, nextStepAt: stepAfter(billedAt, now) };
}

export type BillPayment = { paymentId: string; amountMinor: bigint; currency: string };

/** Marks a bill as paid, even if it was unpaid; undefined if it is already paid or the amount differs. */
export function paidBill(bill: OverageBill, payment: BillPayment, now: Date): OverageBill | undefined {
	const { paymentId, amountMinor, currency } = payment;
	if (bill.status === "paid" || amountMinor !== bill.amountMinor || currency !== bill.currency)
		return undefined;
	return { ...bill, status: "paid", paymentId, nextStepAt: null, settledAt: now };
}

/** Marks a paid bill as unpaid once all of its payment was returned; undefined before. */
export function returnedBill(bill: OverageBill, returnedMinor: bigint): OverageBill | undefined {
	if (bill.status !== "paid" || returnedMinor < bill.amountMinor) return undefined;
	return { ...bill, status: "unpaid", failure: "returned", settledAt: null };
}
