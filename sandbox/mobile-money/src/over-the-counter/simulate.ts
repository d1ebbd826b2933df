import * as field from "../gateway/fields.ts";
import { readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { invalidField, requestId } from "../gateway/refusal.ts";
import { payOverTheCounter } from "./pay-over-the-counter.ts";

const fields = {
	ShortCode: field.number,
	CommandID: field.oneOf("CustomerPayBillOnline", "CustomerBuyGoodsOnline"),
	Amount: field.amount,
	Msisdn: field.msisdn,
	BillRefNumber: field.optional(field.text(20)),
};

/** Lets a phone pay to a shortcode, as a person would at a counter. Not for production shortcodes. */
export const simulate: Operation = {
	name: "simulate",
	path: "/c2b/v1/simulate",
	summary: "Simulate: a phone pays to a paybill or till.",
	fields,
	accept: (call) => {
		const { sandbox, ordinal } = call;
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["ShortCode", body.ShortCode]);
		if (shortcode.environment === "production") throw invalidField("ShortCode");
		const isPaybill = shortcode.kind === "paybill";
		if (isPaybill !== (body.CommandID === "CustomerPayBillOnline")) throw invalidField("CommandID");
		if (isPaybill && body.BillRefNumber === null) throw invalidField("BillRefNumber");
		const payment = {
			...{ ordinal, phone: body.Msisdn, shortcode: body.ShortCode },
			...{ amountMinor: body.Amount, reference: body.BillRefNumber ?? "" },
		};
		return {
			answer: {
				OriginatorCoversationID: requestId(sandbox.ids, ordinal, "originator"),
				ResponseCode: "0",
				ResponseDescription: "Accept the service request successfully.",
			},
			follow: () => payOverTheCounter(sandbox, payment),
		};
	},
};
