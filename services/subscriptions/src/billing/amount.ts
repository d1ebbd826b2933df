import { type HeldAddOn, type HeldPlan, monthsOf } from "../catalogue/held-plan.ts";
import type { Amount, AmountLine } from "./operation.ts";
import { smallerOf } from "./proration.ts";

type Reckoning = {
	charges: readonly AmountLine[];
	/** What is given back of what was paid before, of the plan with this code. */
	credit: { code: string; minor: bigint };
	currency: string;
	/** What may be taken from the credit of the subscription. */
	balanceMinor: bigint;
};

/** What is to be paid after credit: what credit there is too much becomes balance, and balance is used before money. */
export function reckon({ charges, credit, currency, balanceMinor: held }: Reckoning): Amount {
	const chargeMinor = charges.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
	const due = chargeMinor - credit.minor;
	const balanceMinor = due < 0n ? due : smallerOf(held, due);
	const rest: readonly AmountLine[] = [
		{ what: "credit", code: credit.code, amountMinor: -credit.minor },
		{ what: "balance", code: "balance", amountMinor: -balanceMinor },
	];
	return {
		chargeMinor,
		creditMinor: credit.minor,
		balanceMinor,
		amountMinor: due - balanceMinor,
		currency,
		lines: [...charges, ...rest.filter(({ amountMinor }) => amountMinor !== 0n)],
	};
}

/** What one whole period of a plan costs, with the add-ons beside it: their price for as long as the plan's interval is. */
export function chargesOfPeriod(plan: HeldPlan, addOns: readonly HeldAddOn[]): readonly AmountLine[] {
	return [
		{ what: "plan", code: plan.code, amountMinor: plan.priceMinor },
		...addOns.map((addOn) => ({
			what: "add_on" as const,
			code: addOn.code,
			amountMinor: priceOver(addOn, monthsOf(plan.interval)),
		})),
	];
}

/** The price of so many months, rounded to the nearest unit. */
function priceOver({ priceMinor, interval }: HeldAddOn, months: number): bigint {
	const own = BigInt(monthsOf(interval));
	return (2n * priceMinor * BigInt(months) + own) / (2n * own);
}
