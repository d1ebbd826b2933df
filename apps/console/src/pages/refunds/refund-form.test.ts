import { expect, test } from "vitest";
import { checkRefund, readRefund } from "./refund-form.ts";

const words = { amountInvalid: "amount", reasonMissing: "reason" };
const entered = (fields: Record<string, string>) => {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
};
const check = (fields: Record<string, string>) =>
	checkRefund(entered(fields), { currency: "KES", maxMinor: 100_000, words }).map((error) => error.field);

test("a refund needs a reason, and an amount that the payment has", () => {
	expect(check({ amount_minor: "", reason: "" })).toEqual(["reason"]);
	expect(check({ amount_minor: "1000.01", reason: "Broken" })).toEqual(["amount_minor"]);
	expect(check({ amount_minor: "0", reason: "Broken" })).toEqual(["amount_minor"]);
	expect(check({ amount_minor: "0", reason: "" })).toEqual(["amount_minor", "reason"]);
	expect(check({ amount_minor: "1000", reason: "Broken" })).toEqual([]);
});

const shown = { currency: "KES", maxMinor: 100_000 };
const all = entered({ amount_minor: "", reason: "Broken", customer_note: "" });

test("a refund of a payment without an amount returns all that is left", () => {
	const of = { payment_id: "1" };
	expect(readRefund(all, { ...shown, of })).toEqual({ payment_id: "1", reason: "Broken" });
	const part = entered({ amount_minor: "12.50", reason: "Broken", customer_note: "Sorry" });
	expect(readRefund(part, { ...shown, of })).toEqual({
		...{ payment_id: "1", reason: "Broken", amount_minor: 1250, customer_note: "Sorry" },
	});
});

test("a refund of a receipt without an amount returns what the form showed, also if the receipt was allocated meanwhile", () => {
	expect(readRefund(all, { ...shown, of: { receipt_id: "1" } })).toEqual({
		...{ receipt_id: "1", reason: "Broken", amount_minor: 100_000 },
	});
});
