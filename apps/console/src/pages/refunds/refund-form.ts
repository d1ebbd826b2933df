import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";

type Limits = { currency: string; maxMinor: number };

/** Finds the fields that the treasury would refuse, as far as the page can know. */
export function checkRefund(
	entered: FormData,
	{ currency, maxMinor, words }: Limits & { words: { amountInvalid: string; reasonMissing: string } },
): readonly InputError[] {
	const text = textOf(entered, "amount_minor");
	const minor = readMoney(text, currency) ?? 0;
	return errorsOf([
		[text !== "" && (minor < 1 || minor > maxMinor), "amount_minor", words.amountInvalid],
		[textOf(entered, "reason") === "", "reason", words.reasonMissing],
	]);
}

/** The request of a form that was checked. What is empty is left out. */
export function readRefund(entered: FormData, currency: string) {
	const minor = readMoney(textOf(entered, "amount_minor"), currency);
	const note = textOf(entered, "customer_note");
	return {
		reason: textOf(entered, "reason"),
		...(minor !== undefined && { amount_minor: minor }),
		...(note !== "" && { customer_note: note }),
	};
}
