import { textOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/input-errors.ts";
import { readMoney } from "../plans/money-input.ts";
import type { Card } from "./card-plan.queries.ts";

type Words = { nameMissing: string; amountInvalid: string };

/** The largest amount that the treasury takes, in lowest units. */
const amountMax = 1_000_000_000_000;

const amountOf = (entered: FormData, currency: string): number =>
	readMoney(textOf(entered, "amount_minor"), currency) ?? 0;

/** Finds the first field of a plan that the treasury would refuse. */
export function checkPlan(
	entered: FormData,
	{ currency, words }: { currency: string; words: Words },
): InputError | undefined {
	if (textOf(entered, "name") === "") return { message: words.nameMissing, field: "name" };
	const amount = amountOf(entered, currency);
	return amount >= 1 && amount <= amountMax
		? undefined
		: { message: words.amountInvalid, field: "amount_minor" };
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

/** Finds the field of a card subscription that is not chosen. */
export function checkSubscription(
	entered: FormData,
	words: { planMissing: string; cardMissing: string },
): InputError | undefined {
	if (textOf(entered, "plan_id") === "") return { message: words.planMissing, field: "plan_id" };
	if (textOf(entered, "authorization_id") === "")
		return { message: words.cardMissing, field: "authorization_id" };
	return undefined;
}

/** A card as people know it: `Visa •••• 4081`. */
export const cardName = ({ brand, last4 }: Pick<Card, "brand" | "last4">): string =>
	`${brand.slice(0, 1).toUpperCase()}${brand.slice(1)} •••• ${last4}`;
