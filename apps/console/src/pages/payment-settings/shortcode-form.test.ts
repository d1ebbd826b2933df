import { expect, test } from "vitest";
import { checkShortcode, readShortcode } from "./shortcode-form.ts";

const words = { shortcodeInvalid: "shortcode", referenceInvalid: "reference" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}
const paybill = { shortcode: "600200", kind: "paybill", unknown_accounts: "accept" };

test.each([
	[{ shortcode: "12" }, "shortcode"],
	[{ shortcode: "6002OO" }, "shortcode"],
	[{ account_reference: "1234567890123" }, "account_reference"],
])("%j is refused at its field", (change, field) => {
	expect(checkShortcode(entered({ ...paybill, ...change }), words).map((error) => error.field)).toEqual([
		field,
	]);
});

test("empty fields are not sent, and the checkbox is sent as a boolean", () => {
	const form = entered({ ...paybill, initiator_name: "", passkey: "a-passkey", refund_excess: "on" });
	expect(checkShortcode(form, words)).toEqual([]);
	expect(readShortcode(form)).toEqual({ ...paybill, passkey: "a-passkey", refund_excess: true });
});
