import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { RefundRequest, RefundTarget } from "./refund.queries.ts";

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

/**
 * The request of a form that was checked. What is empty is left out; of a receipt an empty amount is what
 * the form showed, since another person may allocate the receipt meanwhile.
 */
export function readRefund(
	entered: FormData,
	{ of, currency, maxMinor }: Limits & { of: RefundTarget },
): RefundRequest {
	const shownMinor = "receipt_id" in of ? maxMinor : undefined;
	const minor = readMoney(textOf(entered, "amount_minor"), currency) ?? shownMinor;
	const note = textOf(entered, "customer_note");
	return {
		...of,
		reason: textOf(entered, "reason"),
		...(minor !== undefined && { amount_minor: minor }),
		...(note !== "" && { customer_note: note }),
	};
}
