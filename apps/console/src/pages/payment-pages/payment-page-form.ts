import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { PageRequest } from "./payment-page.queries.ts";

type Words = { nameMissing: string; descriptionMissing: string; amountInvalid: string };

/** The largest amount that the treasury takes, in lowest units. */
const amountMax = 1_000_000_000_000;

const amountOf = (entered: FormData, currency: string): number | undefined =>
	readMoney(textOf(entered, "amount_minor"), currency);

/** Finds the fields that the treasury would refuse. Without an amount the payer chooses it. */
export function checkPage(
	entered: FormData,
	{ currency, words }: { currency: string; words: Words },
): readonly InputError[] {
	const isFixed = textOf(entered, "amount_minor") !== "";
	const amount = amountOf(entered, currency) ?? 0;
	return errorsOf([
		[textOf(entered, "name") === "", "name", words.nameMissing],
		[textOf(entered, "description") === "", "description", words.descriptionMissing],
		[isFixed && (amount < 1 || amount > amountMax), "amount_minor", words.amountInvalid],
	]);
}

/** The request of a form that was checked. */
export function readPage(entered: FormData, currency: string): PageRequest {
	const amount = textOf(entered, "amount_minor") === "" ? undefined : amountOf(entered, currency);
	return {
		...{ name: textOf(entered, "name"), description: textOf(entered, "description"), currency },
		...(amount !== undefined && { amount_minor: amount }),
	};
}
