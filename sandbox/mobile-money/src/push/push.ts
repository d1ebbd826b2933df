import type { Ids } from "@lango/sandbox-base";
import { phoneOf } from "../accounts/phone.ts";
import type { Shortcode } from "../accounts/shortcode.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Call, Operation } from "../gateway/operation.ts";
import { getOwnShortcode, requirePassword } from "../gateway/own-shortcode.ts";
import { invalidField, refusals, requestId } from "../gateway/refusal.ts";
import { toNairobi } from "../ledger/text.ts";
import type { Prompt } from "./prompt.ts";
import { actByItself, showPrompt } from "./show-prompt.ts";

const fields = {
	BusinessShortCode: field.number,
	Password: field.text(400),
	Timestamp: field.stamp,
	TransactionType: field.oneOf("CustomerPayBillOnline", "CustomerBuyGoodsOnline"),
	Amount: field.amount,
	PartyA: field.msisdn,
	PartyB: field.number,
	PhoneNumber: field.msisdn,
	CallBackURL: field.url,
	AccountReference: field.text(12),
	TransactionDesc: field.text(13),
};

/** Asks a phone to pay. The result comes to `CallBackURL`. */
export const push: Operation = {
	name: "push",
	path: "/stkpush/v1/processrequest",
	summary: "Push prompt: asks a phone to pay to a paybill or till.",
	fields,
	accept: (call) => {
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["BusinessShortCode", body.BusinessShortCode]);
		requirePassword(shortcode, body);
		requireType(shortcode, body);
		if (phoneOf(call.sandbox, body.PhoneNumber).openPromptId !== null) throw refusals.locked();
		const prompt = openPrompt(call, body);
		const text = "Success. Request accepted for processing";
		return {
			answer: {
				MerchantRequestID: prompt.merchantRequestId,
				CheckoutRequestID: prompt.id,
				ResponseCode: "0",
				ResponseDescription: text,
				CustomerMessage: text,
			},
			follow: () => actByItself(call.sandbox, prompt),
		};
	},
};

function requireType({ shortcode, kind }: Shortcode, body: Body<typeof fields>): void {
	const type = kind === "paybill" ? "CustomerPayBillOnline" : "CustomerBuyGoodsOnline";
	if (body.TransactionType !== type) throw invalidField("TransactionType");
	if (body.PartyB !== shortcode) throw invalidField("PartyB");
	if (body.PartyA !== body.PhoneNumber) throw invalidField("PartyA");
}

function openPrompt({ sandbox, ordinal, at }: Call, body: Body<typeof fields>): Prompt {
	const { ids } = sandbox;
	const phone = body.PhoneNumber;
	return showPrompt(sandbox, {
		...{
			id: checkoutId(ids, { ordinal, at, phone }),
			merchantRequestId: requestId(ids, ordinal, "merchant"),
		},
		...{ ordinal, at, shortcode: body.BusinessShortCode, phone, amountMinor: body.Amount },
		...{ reference: body.AccountReference, description: body.TransactionDesc, callbackUrl: body.CallBackURL },
		order: null,
	});
}

/** `ws_CO_`, the time with milliseconds, and the phone without 254; made unique by the last digits. */
function checkoutId(ids: Ids, { ordinal, at, phone }: { ordinal: number; at: Date; phone: string }): string {
	const { year, two } = toNairobi(at);
	const time = `${two.day}${two.month}${year}${two.hour}${two.minute}${two.second}${two.millisecond}`;
	const unique = Number.parseInt(ids.hex(ordinal, "checkout", 6), 16) % 1000;
	return `ws_CO_${time}${phone.slice(3)}${String(unique).padStart(3, "0")}`;
}
