import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { IntentRequest } from "./intent.queries.ts";

type Words = {
	amountInvalid: string;
	descriptionMissing: string;
	phoneInvalid: string;
	emailInvalid: string;
};

/** The largest amount that the treasury takes, in lowest units. */
const amountMax = 1_000_000_000_000;

const amountOf = (entered: FormData, currency: string): number | undefined =>
	readMoney(textOf(entered, "amount_minor"), currency);

/** Finds the fields that the treasury would refuse, as far as the page can know. */
export function checkIntent(
	entered: FormData,
	{ currency, words }: { currency: string; words: Words },
): readonly InputError[] {
	const amount = amountOf(entered, currency) ?? 0;
	const phone = textOf(entered, "customer.phone");
	const email = textOf(entered, "customer.email");
	return errorsOf([
		[amount < 1 || amount > amountMax, "amount_minor", words.amountInvalid],
		[textOf(entered, "description") === "", "description", words.descriptionMissing],
		[phone !== "" && phone.length < 9, "customer.phone", words.phoneInvalid],
		[!/^$|^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email), "customer.email", words.emailInvalid],
	]);
}

/** The request of a form that was checked. What is empty is left out. */
export function readIntent(entered: FormData, currency: string): IntentRequest {
	const amountMinor = amountOf(entered, currency);
	if (amountMinor === undefined) throw new Error("the amount was not checked");
	const given = (name: string, field: string) => {
		const text = textOf(entered, field);
		return text === "" ? {} : { [name]: text };
	};
	const customer = { ...given("phone", "customer.phone"), ...given("email", "customer.email") };
	return {
		...{ amount_minor: amountMinor, currency, description: textOf(entered, "description") },
		...given("order_id", "order_id"),
		...(Object.keys(customer).length > 0 && { customer }),
	};
}
