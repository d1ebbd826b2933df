import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { Card } from "./card-plan.queries.ts";

type Words = { nameMissing: string; amountInvalid: string };

/** The largest amount that the treasury takes, in lowest units. */
const amountMax = 1_000_000_000_000;

const amountOf = (entered: FormData, currency: string): number =>
	readMoney(textOf(entered, "amount_minor"), currency) ?? 0;

/** Finds the fields of a plan that the treasury would refuse. */
export function checkPlan(
	entered: FormData,
	{ currency, words }: { currency: string; words: Words },
): readonly InputError[] {
	const amount = amountOf(entered, currency);
	return errorsOf([
		[textOf(entered, "name") === "", "name", words.nameMissing],
		[amount < 1 || amount > amountMax, "amount_minor", words.amountInvalid],
	]);
}

/** The request of a form of a plan that was checked. */
export const readPlan = (entered: FormData, currency: string) => ({
	...{ name: textOf(entered, "name"), interval: textOf(entered, "interval") },
	...{ amount_minor: amountOf(entered, currency), currency },
});

/** The request of a form of a card subscription. */
export const readSubscription = (entered: FormData) => ({
	...{ plan_id: textOf(entered, "plan_id"), authorization_id: textOf(entered, "authorization_id") },
});

/** Finds the fields of a card subscription that are not chosen. */
export function checkSubscription(
	entered: FormData,
	words: { planMissing: string; cardMissing: string },
): readonly InputError[] {
	return errorsOf([
		[textOf(entered, "plan_id") === "", "plan_id", words.planMissing],
		[textOf(entered, "authorization_id") === "", "authorization_id", words.cardMissing],
	]);
}

/** A card as people know it: `Visa •••• 4081`. */
export const cardName = ({ brand, last4 }: Pick<Card, "brand" | "last4">): string =>
	`${brand.slice(0, 1).toUpperCase()}${brand.slice(1)} •••• ${last4}`;
