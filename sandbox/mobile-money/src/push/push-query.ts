import * as field from "../gateway/fields.ts";
import { readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { getOwnShortcode, requirePassword } from "../gateway/own-shortcode.ts";
import { invalidField, refusals } from "../gateway/refusal.ts";
import { pushTexts } from "./prompt.ts";

const fields = {
	BusinessShortCode: field.number,
	Password: field.text(400),
	Timestamp: field.stamp,
	CheckoutRequestID: field.text(100),
};

/** Says how a prompt ended. While it is open the answer is HTTP 500. It has neither amount nor receipt. */
export const pushQuery: Operation = {
	name: "push_query",
	path: "/stkpushquery/v1/query",
	summary: "Push query: how a prompt ended. While it is open: 500 with the code 500.001.1001.",
	fields,
	accept: (call) => {
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["BusinessShortCode", body.BusinessShortCode]);
		requirePassword(shortcode, body);
		const prompt = call.sandbox.tables.prompts.get(body.CheckoutRequestID);
		if (prompt?.shortcode !== shortcode.shortcode) throw invalidField("CheckoutRequestID");
		if (prompt.resultCode === null) throw refusals.pending();
		return {
			answer: {
				ResponseCode: "0",
				ResponseDescription: "The service request has been accepted successfully",
				MerchantRequestID: prompt.merchantRequestId,
				CheckoutRequestID: prompt.id,
				ResultCode: String(prompt.resultCode),
				ResultDesc: pushTexts[prompt.resultCode],
			},
		};
	},
};
