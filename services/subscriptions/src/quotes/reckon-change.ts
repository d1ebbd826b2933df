import { chargesOfPeriod, reckon } from "../billing/amount.ts";
import type { Amount } from "../billing/operation.ts";
import { chargeFor, creditFor, partLeft, smallerOf } from "../billing/proration.ts";
import { monthsAfter } from "../calendar/anchored-month.ts";
import { type HeldPlan, monthsOf } from "../catalogue/held-plan.ts";
import { joinTerms, unlimited } from "../catalogue/terms.ts";
import { failures } from "../failures.ts";
import { balanceIn, type HeldSubscription } from "../subscriptions/held-subscription.ts";
import { anew, endOf } from "../subscriptions/period.ts";
import { stateAt } from "../subscriptions/subscription.ts";

/** What a change of plan comes to, reckoned at one moment: quote and change both ask here, and so cannot differ. */
export type ReckonedChange = {
	direction: "upgrade" | "downgrade";
	amount: Amount;
	/** When the changed plan's paid time ends, when it is changed now. */
	periodEndsAt: Date;
	featuresLost: string[];
	/** Limits that are lower in the new plan; -1 is unlimited. */
	limitsLowered: Array<{ limit: string; from: number; to: number }>;
};

/**
 * Reckons a change now, in a paid period that runs: credit for what is left of the old plan, a charge for as much of the
 * new one. With another interval a new period begins. Throws `nothing_to_change`, `plan_unchanged` or `currency_differs`.
 */
export function reckonChange(held: HeldSubscription, plan: HeldPlan, at: Date): ReckonedChange {
	const { periodStartedAt: startsAt, periodEndsAt: endsAt, plan: old, line } = held;
	if (stateAt(held, at).status !== "ACTIVE" || startsAt === null || endsAt === null)
		throw failures.nothing_to_change();
	if (plan.id === old.id) throw failures.plan_unchanged();
	if (plan.currency !== old.currency) throw failures.currency_differs();
	const left = partLeft({ startsAt, endsAt: lengthened(held, { startsAt, endsAt }) }, at);
	const part = { total: left.total, remaining: partLeft({ startsAt, endsAt }, at).remaining };
	const isInPlace = plan.interval === old.interval;
	const oldPrice = isInPlace ? old.priceMinor : total(chargesOfPeriod(old, held.addOns));
	const uncredited = line === null ? 0n : line.chargedMinor - line.creditedMinor;
	const amount = reckon({
		charges: isInPlace
			? [{ what: "plan", code: plan.code, amountMinor: chargeFor(plan.priceMinor, part) }]
			: chargesOfPeriod(plan, held.addOns),
		credit: { code: old.code, minor: smallerOf(creditFor(oldPrice, part), uncredited) },
		currency: plan.currency,
		balanceMinor: balanceIn(held, plan.currency),
	});
	return {
		direction: perYear(plan) > perYear(old) ? "upgrade" : "downgrade",
		amount,
		periodEndsAt: isInPlace ? endsAt : endOf(anew(at), { timeZone: held.timeZone, plan }),
		...lossOf(held, plan),
	};
}

/** Time that was given and not paid for is a part of a usual period, not a short period of its own. */
function lengthened(
	{ line, timeZone, plan }: HeldSubscription,
	{ startsAt, endsAt }: { startsAt: Date; endsAt: Date },
): Date {
	return line === null ? monthsAfter({ anchorAt: startsAt, timeZone }, monthsOf(plan.interval)) : endsAt;
}

const perYear = ({ priceMinor, interval }: HeldPlan) => (priceMinor * 12n) / BigInt(monthsOf(interval));
const total = (lines: ReadonlyArray<{ amountMinor: bigint }>) =>
	lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** What the tenant has now and would not have. */
export function lossOf(
	{ plan: old, addOns }: HeldSubscription,
	plan: HeldPlan,
): Pick<ReckonedChange, "featuresLost" | "limitsLowered"> {
	const [before, after] = [joinTerms([old, ...addOns]), joinTerms([plan, ...addOns])];
	const lowered = Object.entries(before.limits).map(([limit, from]) => ({
		limit,
		from,
		to: after.limits[limit] ?? 0,
	}));
	return {
		featuresLost: before.features.filter((code) => !after.features.includes(code)),
		limitsLowered: lowered.filter(({ from, to }) => to !== unlimited && (from === unlimited || to < from)),
	};
}
