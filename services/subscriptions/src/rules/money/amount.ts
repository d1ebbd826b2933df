import { failures } from "../../failures.ts";
import { type AddOnVersion, type Choice, monthsOf } from "../terms/plan.ts";
import type { Amount, AmountLine } from "./operation.ts";
import { smallerOf } from "./proration.ts";

type AmountParts = {
	charges: readonly AmountLine[];
	/** What is given back of what was paid before, of plans and add-ons with these codes. */
	credits: ReadonlyArray<{ code: string; minor: bigint }>;
	currency: string;
	/** What may be taken from the credit of the subscription. */
	balanceMinor: bigint;
};

/** What is to be paid after credit: what credit there is too much becomes balance, and balance is used before money. */
export function computeAmount({ charges, credits, currency, balanceMinor: available }: AmountParts): Amount {
	const chargeMinor = charges.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
	const creditMinor = credits.reduce((sum, { minor }) => sum + minor, 0n);
	const given = credits
		.filter(({ minor }) => minor !== 0n)
		.map(({ code, minor }) => ({ what: "credit" as const, code, amountMinor: -minor }));
	return withBalance({ chargeMinor, creditMinor, currency, lines: [...charges, ...given] }, available);
}

/** The same charges and credits after what there is of the balance. */
export function withBalance(
	{ chargeMinor, creditMinor, currency, lines }: Omit<Amount, "balanceMinor" | "amountMinor">,
	available: bigint,
): Amount {
	const due = chargeMinor - creditMinor;
	const balanceMinor = due < 0n ? due : smallerOf(available, due);
	const others = lines.filter(({ what }) => what !== "balance");
	const balance = { what: "balance" as const, code: "balance", amountMinor: -balanceMinor };
	return {
		chargeMinor,
		creditMinor,
		balanceMinor,
		amountMinor: due - balanceMinor,
		currency,
		lines: balanceMinor === 0n ? others : [...others, balance],
	};
}

/** Throws `currency_differs` when not all of them have their price in one: they are paid in one sum. */
export function requireOneCurrency({ plan, addOns }: Choice): void {
	if (addOns.some(({ currency }) => currency !== plan.currency)) throw failures.currency_differs();
}

/**
 * What one whole period of a plan costs, with the add-ons beside it: their price for as long as the plan's interval is. Throws an Error
 * if their currencies differ, which every change refuses (`requireOneCurrency`): a sum of two currencies must never be charged.
 */
export function chargesOfPeriod(choice: Choice): readonly AmountLine[] {
	const other = choice.addOns.find(({ currency }) => currency !== choice.plan.currency);
	if (other !== undefined)
		throw new Error(
			`${other.code} in ${other.currency} cannot be charged with a plan in ${choice.plan.currency}`,
		);
	return partsOf(choice).map(({ id: _, ...line }) => line);
}

/** The same with the version each line is of. */
export function partsOf({ plan, addOns }: Choice): ReadonlyArray<AmountLine & { id: string }> {
	return [
		{ id: plan.id, what: "plan", code: plan.code, amountMinor: plan.priceMinor },
		...addOns.map((addOn) => ({
			id: addOn.id,
			what: "add_on" as const,
			code: addOn.code,
			amountMinor: priceOver(addOn, monthsOf(plan.interval)),
		})),
	];
}

/** The price of so many months, rounded to the nearest unit. */
function priceOver({ priceMinor, interval }: AddOnVersion, months: number): bigint {
	const own = BigInt(monthsOf(interval));
	return (2n * priceMinor * BigInt(months) + own) / (2n * own);
}
