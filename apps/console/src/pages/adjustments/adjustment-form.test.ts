import { expect, test } from "vitest";
import { checkAdjustment, readAdjustment } from "./adjustment-form.ts";

const words = {
	...{ amountInvalid: "amount", lineInvalid: "line", unbalanced: "unbalanced" },
	...{ tenantMissing: "tenant", reasonMissing: "reason" },
};
const check = (form: FormData) => checkAdjustment(form, { currency: "KES", words });

function entered(fields: Record<string, string | string[]>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields))
		for (const one of [value].flat()) form.append(name, one);
	return form;
}

const lines = (...amounts: string[]) => ({
	...{ side: ["debit", "credit"], owner: ["platform", "platform"] },
	...{ code: ["bank", "card.balance"], amount: amounts },
});

test.each([
	[
		{ purpose: "top_up", amount_minor: "" },
		{ message: "amount", field: "amount_minor" },
	],
	[
		{ purpose: "top_up", amount_minor: "-5" },
		{ message: "amount", field: "amount_minor" },
	],
	[
		{ purpose: "variance", amount_minor: "0" },
		{ message: "amount", field: "amount_minor" },
	],
	[
		{ purpose: "write_off", amount_minor: "5" },
		{ message: "tenant", field: "tenant" },
	],
	[
		{ purpose: "correction", ...lines("5", "") },
		{ message: "line", field: "lines" },
	],
	[
		{ purpose: "correction", ...lines("5", "6") },
		{ message: "unbalanced", field: "lines" },
	],
	[
		{ purpose: "correction", ...lines("5", "5"), owner: ["platform", "tenant"] },
		{ message: "tenant", field: "tenant" },
	],
])("the entries %j are refused at their field", (fields, error) => {
	expect(check(entered({ ...fields, because: "Seen at the bank." }))).toEqual([error]);
});

test("entries without a reason are refused, also where another field is wrong", () => {
	const reason = { message: "reason", field: "because" };
	expect(check(entered({ purpose: "top_up", amount_minor: "5" }))).toEqual([reason]);
	expect(check(entered({ purpose: "write_off" }))).toEqual([
		{ message: "amount", field: "amount_minor" },
		{ message: "tenant", field: "tenant" },
		reason,
	]);
});

test("what the gateway paid too much is a negative variance", () => {
	const form = entered({ purpose: "variance", amount_minor: "−12.50", because: "Seen at the bank." });
	expect(check(form)).toEqual([]);
	expect(readAdjustment(form, "KES")).toEqual({
		...{ purpose: "variance", amount_minor: -1_250, currency: "KES" },
		...{ slug: "", because: "Seen at the bank." },
	});
});

test("a correction has the lines that are filled in", () => {
	const form = entered({
		...{ purpose: "correction", tenant: "uhai", because: "Booked twice." },
		...{ side: ["debit", "credit", "debit"], owner: ["platform", "tenant", "platform"] },
		...{ code: ["bank", "tenant.available", ""], amount: ["5", "5.00", ""] },
	});
	expect(check(form)).toEqual([]);
	expect(readAdjustment(form, "KES")).toMatchObject({
		slug: "uhai",
		lines: [
			{ side: "debit", owner: "platform", code: "bank", amount_minor: 500 },
			{ side: "credit", owner: "tenant", code: "tenant.available", amount_minor: 500 },
		],
	});
});
