import { failures } from "../../failures.ts";
import { type AddOnVersion, type Choice, monthsOf } from "../terms/plan.ts";
import type { Amount, AmountLine } from "./operation.ts";
import { smallerOf } from "./proration.ts";

type AmountParts = {
	charges: readonly AmountLine[];
	/** Credit for earlier payments, by the code of the plan or add-on. */
	credits: ReadonlyArray<{ code: string; minor: bigint }>;
	currency: string;
	/** The credit of the subscription that may be used. */
	balanceMinor: bigint;
};

/**
 * Computes the amount due after credit: surplus credit is added to the balance, and the balance is used
 * before money.
 */
export function computeAmount({ charges, credits, currency, balanceMinor: available }: AmountParts): Amount {
	const chargeMinor = charges.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
	const creditMinor = credits.reduce((sum, { minor }) => sum + minor, 0n);
	const creditLines = credits
		.filter(({ minor }) => minor !== 0n)
		.map(({ code, minor }) => ({ what: "credit" as const, code, amountMinor: -minor }));
	return withBalance({ chargeMinor, creditMinor, currency, lines: [...charges, ...creditLines] }, available);
}

/** The same charges and credits with another available balance. */
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

/** Throws `currency_differs` unless all prices are in one currency: they are paid in one amount. */
export function requireOneCurrency({ plan, addOns }: Choice): void {
	if (addOns.some(({ currency }) => currency !== plan.currency)) throw failures.currency_differs();
}

/**
 * The price of one whole period of a plan with its add-ons, each priced for the plan's interval. Throws an
 * Error if the currencies differ. Every change refuses that (`requireOneCurrency`), and a sum of two
 * currencies must never be charged.
 */
export function chargesOfPeriod(choice: Choice): readonly AmountLine[] {
	const other = choice.addOns.find(({ currency }) => currency !== choice.plan.currency);
	if (other !== undefined)
		throw new Error(
			`${other.code} in ${other.currency} cannot be charged with a plan in ${choice.plan.currency}`,
		);
	return partsOf(choice).map(({ id: _, ...line }) => line);
}

/** The same, with the version id of each line. */
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

/** The price for a number of months, rounded to the nearest unit. */
function priceOver({ priceMinor, interval }: AddOnVersion, months: number): bigint {
	const own = BigInt(monthsOf(interval));
	return (2n * priceMinor * BigInt(months) + own) / (2n * own);
}
