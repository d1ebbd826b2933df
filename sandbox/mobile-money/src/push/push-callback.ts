import { otherPhone } from "../accounts/phone.ts";
import type { Changes } from "../callbacks/send-callback.ts";
import { printStamp, toDecimal } from "../ledger/text.ts";
import { type Prompt, pushTexts } from "./prompt.ts";

type Options = Changes & { receiptKey: string };

/** The body of the callback. A failed one has no metadata. */
export function toPushCallback(prompt: Prompt, options: Options): object {
	const code = prompt.resultCode ?? 0;
	return {
		Body: {
			stkCallback: {
				MerchantRequestID: prompt.merchantRequestId,
				CheckoutRequestID: prompt.id,
				ResultCode: code,
				ResultDesc: pushTexts[code],
				...(prompt.receipt !== null && { CallbackMetadata: { Item: toItems(prompt, options) } }),
			},
		},
	};
}

function toItems(prompt: Prompt, { receiptKey, isMutated, hasWrongPhone }: Options): object[] {
	const minor = isMutated === true ? prompt.amountMinor + 100 : prompt.amountMinor;
	const phone = hasWrongPhone === true ? otherPhone(prompt.phone) : prompt.phone;
	const date = printStamp(new Date(prompt.answeredAt ?? prompt.at));
	return [
		{ Name: "Amount", Value: toDecimal(minor) },
		{ Name: receiptKey, Value: prompt.receipt },
		{ Name: "Balance" },
		{ Name: "TransactionDate", Value: Number(date) },
		{ Name: "PhoneNumber", Value: Number(phone) },
	];
}
