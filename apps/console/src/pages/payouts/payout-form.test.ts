import { expect, test } from "vitest";
import { checkPayout, readPayout } from "./payout-form.ts";
import { tables } from "./texts.ts";

const words = tables.en;
const entered = (fields: Record<string, string>) => {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
};
const byCard = { rail: "card_gateway", recipient_id: "r1", amount_minor: "" };
const atTill = { command: "MerchantToMerchantTransfer" };
const byPhone = {
	...{ rail: "mobile_money", kind: "customer", to: "0712 345 678" },
	...{ amount_minor: "500", remarks: "Stock" },
};

test.each([
	["a recipient that is not chosen", { ...byCard, recipient_id: "" }, "recipient_id"],
	["an amount with too many decimals", { ...byCard, amount_minor: "1.234" }, "amount_minor"],
	["by mobile money, no amount", { ...byPhone, amount_minor: "" }, "amount_minor"],
	["by mobile money, no phone", { ...byPhone, to: "" }, "to"],
	["a till that is a phone", { ...byPhone, kind: "personal_till" }, "to"],
	["a till of a business that is a phone", { ...byPhone, kind: "business", ...atTill }, "to"],
	["a paybill without an account", { ...byPhone, kind: "business", to: "600500" }, "account"],
	["no purpose", { ...byPhone, remarks: "" }, "remarks"],
])("a payout with %s is refused at its field", (_what, fields, field) => {
	expect(checkPayout(entered(fields), { currency: "KES", words }).map((error) => error.field)).toEqual([
		field,
	]);
});

test.each([
	["all that is available", byCard, { rail: "card_gateway", recipient_id: "r1" }],
	[
		"a part of it",
		{ ...byCard, amount_minor: "1500.50" },
		{ rail: "card_gateway", recipient_id: "r1", amount_minor: 150_050 },
	],
	[
		"a supplier's paybill",
		{ ...byPhone, kind: "business", command: "BusinessPayBill", to: "600500", account: "INV-7" },
		{
			...{ rail: "mobile_money", kind: "business", to: "600500", account: "INV-7" },
			...{ command: "BusinessPayBill", amount_minor: 50_000, remarks: "Stock" },
		},
	],
	[
		"a supplier's till",
		{ ...byPhone, kind: "business", to: "600500", ...atTill },
		{
			...{ rail: "mobile_money", kind: "business", to: "600500", ...atTill },
			...{ amount_minor: 50_000, remarks: "Stock" },
		},
	],
	[
		"a salary",
		{ ...byPhone, command: "SalaryPayment" },
		{
			...{ rail: "mobile_money", kind: "customer", to: "0712 345 678", command: "SalaryPayment" },
			...{ amount_minor: 50_000, remarks: "Stock" },
		},
	],
	[
		"a personal till, whatever was chosen for a business",
		{ ...byPhone, kind: "personal_till", to: "600500", ...atTill },
		{
			...{ rail: "mobile_money", kind: "personal_till", to: "600500" },
			...{ amount_minor: 50_000, remarks: "Stock" },
		},
	],
])("a payout of %s is sent as it was entered", (_what, fields, request) => {
	expect(checkPayout(entered(fields), { currency: "KES", words })).toEqual([]);
	expect(readPayout(entered(fields), "KES")).toEqual(request);
});
