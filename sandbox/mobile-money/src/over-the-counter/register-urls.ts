import * as field from "../gateway/fields.ts";
import { readBody } from "../gateway/fields.ts";
import type { Operation } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { refusals, requestId } from "../gateway/refusal.ts";

const fields = {
	ShortCode: field.number,
	ResponseType: field.oneOf("Completed", "Cancelled"),
	ConfirmationURL: field.url,
	ValidationURL: field.url,
};

/** Says where payments over the counter are announced. A production shortcode does it once. */
export const registerUrls: Operation = {
	name: "register_urls",
	path: "/c2b/v1/registerurl",
	otherPath: "/c2b/v2/registerurl",
	summary: "Register URLs: where payments to a shortcode are validated and confirmed.",
	fields,
	accept: (call) => {
		const { sandbox, ordinal } = call;
		const body = readBody(fields, call.body);
		const shortcode = getOwnShortcode(call, ["ShortCode", body.ShortCode]);
		if (shortcode.environment === "production" && shortcode.urls !== null) throw refusals.registered();
		const { ConfirmationURL: confirmation, ValidationURL: validation, ResponseType: responseType } = body;
		const urls = { confirmation, validation, responseType };
		sandbox.tables.shortcodes.put(shortcode.shortcode, { ...shortcode, urls });
		return {
			answer: {
				OriginatorCoversationID: requestId(sandbox.ids, ordinal, "originator"),
				ResponseCode: "0",
				ResponseDescription: "success",
			},
		};
	},
};
