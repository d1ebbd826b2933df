import { expect, test } from "vitest";
import { checkIntent, readIntent } from "./intent-form.ts";

const words = {
	...{ amountInvalid: "amount", descriptionMissing: "description" },
	...{ phoneInvalid: "phone", emailInvalid: "email" },
};
const whole = { amount_minor: "1500", description: "Invoice 17" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries({ ...whole, ...fields })) form.set(name, value);
	return form;
}

test.each([
	[{ amount_minor: "" }, "amount_minor"],
	[{ amount_minor: "0" }, "amount_minor"],
	[{ amount_minor: "12.345" }, "amount_minor"],
	[{ amount_minor: "-5" }, "amount_minor"],
	[{ amount_minor: "1e3" }, "amount_minor"],
	[{ amount_minor: "10000000000.01" }, "amount_minor"],
	[{ description: " " }, "description"],
	[{ "customer.phone": "0712" }, "customer.phone"],
	[{ "customer.email": "amina@" }, "customer.email"],
])("%j is refused at its field", (fields, field) => {
	expect(checkIntent(entered(fields), { currency: "KES", words }).map((error) => error.field)).toEqual([
		field,
	]);
});

test.each([
	["0.29", 29],
	["1 500,5", 150_050],
	["10000000000", 1_000_000_000_000],
])("the amount %s is sent as %i lowest units", (amount_minor, minor) => {
	const form = entered({ amount_minor });
	expect(checkIntent(form, { currency: "KES", words })).toEqual([]);
	expect(readIntent(form, "KES").amount_minor).toBe(minor);
});

test("what is empty is left out, and a payer is sent with what is known of them", () => {
	const empty = { "customer.phone": "", "customer.email": " ", order_id: "" };
	const request = { amount_minor: 150_000, currency: "KES", description: "Invoice 17" };
	expect(readIntent(entered(empty), "KES")).toEqual(request);
	const known = { "customer.phone": "0712 345 678", order_id: "A-17" };
	expect(readIntent(entered(known), "KES")).toEqual({
		...{ ...request, order_id: "A-17", customer: { phone: "0712 345 678" } },
	});
});
