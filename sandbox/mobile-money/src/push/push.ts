import { phoneOf } from "../accounts/phone.ts";
import type { Shortcode } from "../accounts/shortcode.ts";
import * as field from "../gateway/fields.ts";
import { type Body, readBody } from "../gateway/fields.ts";
import type { Call, Operation } from "../gateway/operation.ts";
import { getOwnShortcode, requirePassword } from "../gateway/own-shortcode.ts";
import { invalidField, refusals, requestId } from "../gateway/refusal.ts";
import { toNairobi } from "../ledger/text.ts";
import type { Sandbox } from "../sandbox.ts";
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
	const phone = body.PhoneNumber;
	const merchantRequestId = requestId(sandbox.ids, ordinal, "merchant");
	return showPrompt(sandbox, {
		...{ id: newCheckoutId(sandbox, { ordinal, at, phone }), merchantRequestId, order: null },
		...{ ordinal, at, shortcode: body.BusinessShortCode, phone, amountMinor: body.Amount },
		...{ reference: body.AccountReference, description: body.TransactionDesc },
		callbackUrl: body.CallBackURL,
	});
}

/** `ws_CO_`, the time with milliseconds, the phone without 254, and digits that make it unique. */
function newCheckoutId(
	{ ids, tables: { prompts } }: Sandbox,
	{ ordinal, at, phone }: { ordinal: number; at: Date; phone: string },
): string {
	const { year, two } = toNairobi(at);
	const time = `${two.day}${two.month}${year}${two.hour}${two.minute}${two.second}${two.millisecond}`;
	for (let n = 0; ; n += 1) {
		const unique = Number.parseInt(ids.hex(ordinal, `checkout ${n}`, 8), 16) % 1_000_000;
		const id = `ws_CO_${time}${phone.slice(3)}${String(unique).padStart(6, "0")}`;
		if (prompts.get(id) === undefined) return id;
	}
}
