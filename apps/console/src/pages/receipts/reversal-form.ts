import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { ReversalRequest } from "../refunds/refund.queries.ts";
import { isReceiptNumber, receiptNumberOf } from "./receipt-number.ts";

/** Mobile money returns whole shillings. */
export const reversalCurrency = "KES";

const amountOf = (entered: FormData) => readMoney(textOf(entered, "amount_minor"), reversalCurrency) ?? 0;

/** Finds the fields that the treasury would refuse, as far as the page can know. */
export function checkReversal(
	entered: FormData,
	words: { numberInvalid: string; amountInvalid: string; reasonMissing: string },
): readonly InputError[] {
	const amount = amountOf(entered);
	const isAmount = textOf(entered, "amount_minor") === "" || (amount >= 100 && amount % 100 === 0);
	return errorsOf([
		[!isReceiptNumber(receiptNumberOf(entered, "receipt")), "receipt", words.numberInvalid],
		[!isAmount, "amount_minor", words.amountInvalid],
		[textOf(entered, "remarks") === "", "remarks", words.reasonMissing],
	]);
}

/** The request of a form that was checked. Without an amount all that is left of the payment returns. */
export function readReversal(entered: FormData): ReversalRequest {
	const amount = amountOf(entered);
	return {
		...{ receipt: receiptNumberOf(entered, "receipt"), remarks: textOf(entered, "remarks") },
		...(amount > 0 && { amount_minor: amount }),
	};
}
