import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { CounterQr, Shortcode } from "./shortcode.queries.ts";

/** Mobile money takes whole shillings. */
export const qrCurrency = "KES";

/** In pixels. A poster is large, so it is the most that the treasury takes. */
const size = 600;

const amountOf = (entered: FormData) => readMoney(textOf(entered, "amount_minor"), qrCurrency) ?? 0;

/** Finds the fields that the treasury would refuse. Without an amount the payer enters it. */
export function checkQr(
	entered: FormData,
	words: { referenceInvalid: string; amountInvalid: string },
): readonly InputError[] {
	const amount = amountOf(entered);
	const isAmount = textOf(entered, "amount_minor") === "" || (amount >= 100 && amount % 100 === 0);
	return errorsOf([
		[!/^[\w-]{1,12}$/.test(textOf(entered, "reference")), "reference", words.referenceInvalid],
		[!isAmount, "amount_minor", words.amountInvalid],
	]);
}

/** The request of a form that was checked: a paybill and a till are paid in different ways. */
export function readQr(entered: FormData, kind: Shortcode["kind"]): CounterQr {
	const amount = amountOf(entered);
	return {
		...{ reference: textOf(entered, "reference"), trx_code: kind === "till" ? "BG" : "PB", size },
		...(amount > 0 && { amount_minor: amount }),
	};
}
