import { failures } from "../../failures.ts";
import { monthsAfter } from "../lifecycle/anchored-month.ts";
import { endOf, startOfChange } from "../lifecycle/period.ts";
import { stateAt } from "../lifecycle/state.ts";
import { balanceIn, type FullSubscription } from "../lifecycle/subscription.ts";
import { computeAmount, partsOf } from "../money/amount.ts";
import type { Amount } from "../money/operation.ts";
import { chargeFor, creditFor, type Part, partLeft, smallerOf } from "../money/proration.ts";
import { type Loss, lossOf } from "../terms/loss.ts";
import { type Choice, monthsOf } from "../terms/plan.ts";

/** The price of a change at one moment. Quote and change both use it, so they cannot differ. */
export type PricedChange = Loss & {
	direction: "upgrade" | "downgrade";
	amount: Amount;
	/** The part of the earlier payment that covers what is kept: neither charged nor credited again. */
	carriedMinor: bigint;
	/** When the paid period ends if the plan is changed now. */
	periodEndsAt: Date;
};

/**
 * Prices a change now, in a running paid period: a credit for the unused time of what is removed, and a
 * charge for the same time of what is added. What is kept is not charged again. A different interval starts a
 * new period, in which everything is charged. Throws `nothing_to_change`, `payment_overdue`, `plan_unchanged`
 * or `currency_differs`.
 */
export function priceChange(subscription: FullSubscription, choice: Choice, at: Date): PricedChange {
	const { periodStartedAt: startsAt, periodEndsAt: endsAt, line } = subscription;
	requireRunning(subscription, at);
	if (startsAt === null || endsAt === null) throw failures.nothing_to_change();
	requireOther(subscription, choice);
	const { plan } = choice;
	const left = partLeft({ startsAt, endsAt: lengthened(subscription, { startsAt, endsAt }) }, at);
	const part = { total: left.total, remaining: partLeft({ startsAt, endsAt }, at).remaining };
	const isInPlace = plan.interval === subscription.plan.interval;
	const [old, next] = [partsOf(subscription), partsOf(choice)];
	const kept = isInPlace ? old.filter((one) => hasPart(next, one)) : [];
	const uncredited = line === null ? 0n : line.chargedMinor - line.creditedMinor;
	const keptCredit = kept.reduce((sum, { amountMinor }) => sum + creditFor(amountMinor, part), 0n);
	const carriedMinor = smallerOf(keptCredit, uncredited);
	const amount = computeAmount({
		charges: next
			.filter((one) => !hasPart(kept, one))
			.map(({ what, code, amountMinor }) => ({
				what,
				code,
				amountMinor: isInPlace ? chargeFor(amountMinor, part) : amountMinor,
			})),
		credits: creditsFor(
			old.filter((one) => !hasPart(kept, one)),
			{ part, max: uncredited - carriedMinor },
		),
		currency: plan.currency,
		balanceMinor: balanceIn(subscription, plan.currency),
	});
	return {
		direction: perYear(choice) > perYear(subscription) ? "upgrade" : "downgrade",
		amount,
		carriedMinor,
		periodEndsAt: isInPlace
			? endsAt
			: endOf(startOfChange(subscription, at), { timeZone: subscription.timeZone, plan }),
		...lossOf(subscription, { to: choice }),
	};
}

/**
 * Throws `nothing_to_change` unless a paid period is running, and `payment_overdue` if its renewal is unpaid.
 */
export function requireRunning(subscription: FullSubscription, at: Date): void {
	const { status } = stateAt(subscription, at);
	if (status === "PAST_DUE") throw failures.payment_overdue();
	if (status !== "ACTIVE") throw failures.nothing_to_change();
}

type PricedPart = ReturnType<typeof partsOf>[number];
const hasPart = (parts: readonly PricedPart[], { id }: PricedPart) => parts.some((one) => one.id === id);

function requireOther(subscription: FullSubscription, choice: Choice): void {
	const [old, next] = [partsOf(subscription), partsOf(choice)];
	if (old.length === next.length && next.every((one) => hasPart(old, one))) throw failures.plan_unchanged();
	const currencies = [choice.plan, ...choice.addOns].map(({ currency }) => currency);
	if (currencies.some((currency) => currency !== subscription.plan.currency))
		throw failures.currency_differs();
}

/** The credit for each removed part, limited to `max` in total. */
function creditsFor(
	removed: readonly PricedPart[],
	{ part, max }: { part: Part; max: bigint },
): Array<{ code: string; minor: bigint }> {
	let rest = max;
	return removed.map(({ code, amountMinor }) => {
		const minor = smallerOf(creditFor(amountMinor, part), rest);
		rest -= minor;
		return { code, minor };
	});
}

/**
 * Granted time that was not paid for is prorated as part of a regular period, not as a short period of its
 * own.
 */
function lengthened(
	{ line, timeZone, plan }: FullSubscription,
	{ startsAt, endsAt }: { startsAt: Date; endsAt: Date },
): Date {
	return line === null ? monthsAfter({ anchorAt: startsAt, timeZone }, monthsOf(plan.interval)) : endsAt;
}

const perYear = (choice: Choice) =>
	partsOf(choice).reduce((sum, { amountMinor }) => sum + amountMinor, 0n) *
	BigInt(12 / monthsOf(choice.plan.interval));
