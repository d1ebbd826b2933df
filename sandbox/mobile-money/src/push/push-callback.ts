import { otherPhone } from "../accounts/phone.ts";
import type { Changes } from "../callbacks/send-callback.ts";
import { printAmount, printStamp, toDecimal } from "../ledger/text.ts";
import { type Prompt, resultTexts } from "./prompt.ts";

type Options = Changes & { receiptKey: string };

/** The body of the callback. A failed one has no metadata. */
export function toPushCallback(prompt: Prompt, options: Options): object {
	const code = prompt.resultCode ?? 0;
	return {
		Body: {
			stkCallback: {
				MerchantRequestID: prompt.merchantRequestId,
				CheckoutRequestID: prompt.id,
				ResultCode: options.isDrifted === true ? String(code) : code,
				ResultDesc: resultTexts[code],
				...(prompt.receipt !== null && { CallbackMetadata: { Item: toItems(prompt, options) } }),
			},
		},
	};
}

function toItems(prompt: Prompt, { receiptKey, isMutated, hasWrongPhone, isDrifted }: Options): object[] {
	const minor = isMutated === true ? prompt.amountMinor + 100 : prompt.amountMinor;
	const phone = hasWrongPhone === true ? otherPhone(prompt.phone) : prompt.phone;
	const date = printStamp(new Date(prompt.answeredAt ?? prompt.at));
	return [
		{ Name: "Amount", Value: isDrifted === true ? printAmount(minor) : toDecimal(minor) },
		{ Name: receiptKey, Value: prompt.receipt },
		{ Name: "Balance" },
		{ Name: "TransactionDate", Value: isDrifted === true ? date : Number(date) },
		{ Name: "PhoneNumber", Value: isDrifted === true ? phone : Number(phone) },
	];
}
