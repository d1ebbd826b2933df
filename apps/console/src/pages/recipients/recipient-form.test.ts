import { expect, test } from "vitest";
import { banksOf, checkPayouts, checkRecipient, readPayouts, readRecipient } from "./recipient-form.ts";

const words = { nameMissing: "name", bankMissing: "bank", accountInvalid: "account_number" };
function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}
const filled = { type: "bank", bank: "68", name: "Amina", account_number: "0123 4567-89" };
const banks = [
	{ code: "68", name: "Equity", type: "kepss", currency: "KES" },
	{ code: "MPESA", name: "M-PESA", type: "mobile_money", currency: null },
];

test.each([
	[{ bank: "" }, "bank"],
	[{ name: " " }, "name"],
	[{ account_number: "12" }, "account_number"],
	[{ account_number: "12/34567" }, "account_number"],
])("%j is refused at its field", (change, field) => {
	expect(checkRecipient(entered({ ...filled, ...change }), words)).toEqual([{ message: field, field }]);
});

test("spaces of an account number are not sent, and the currency is the bank's, else the tenant's", () => {
	expect(checkRecipient(entered(filled), words)).toEqual([]);
	expect(readRecipient(entered(filled), banks, "UGX")).toEqual({
		...{ type: "bank", name: "Amina", account_number: "0123456789", bank_code: "68", currency: "KES" },
	});
	expect(readRecipient(entered({ ...filled, bank: "MPESA" }), banks, "UGX").currency).toBe("UGX");
});

test("a bank account is at a bank, and mobile money at a provider", () => {
	expect(banksOf(banks, "bank").map(({ code }) => code)).toEqual(["68"]);
	expect(banksOf(banks, "mobile_money").map(({ code }) => code)).toEqual(["MPESA"]);
});

const payouts = { recipient_id: "", schedule: "daily", minimum: "1000", approval_above_minor: "0" };
const check = (form: FormData) =>
	checkPayouts(form, {
		...{ currency: "KES", approvalMaxMinor: 5_000_000 },
		words: { minimumInvalid: "minimum", approvalInvalid: "approval_above_minor" },
	});

test.each([
	["minimum", ["", "-1", "1.555", "20000000000"]],
	["approval_above_minor", ["", "-1", "1.555", "50000.01"]],
])("as %s, each of %j is refused", (field, amounts) => {
	for (const amount of amounts)
		expect(check(entered({ ...payouts, [field]: amount })), amount).toEqual([{ message: field, field }]);
});

test.each([
	["0", 0],
	["50000", 5_000_000],
])(
	"amounts are sent in lowest units, also %s as the limit of approval, and no recipient as null",
	(text, limit) => {
		const form = entered({ ...payouts, approval_above_minor: text });
		expect(check(form)).toEqual([]);
		expect(readPayouts(form, "KES")).toEqual({
			...{ recipient_id: null, schedule: "daily", minimum_minor: 100_000, approval_above_minor: limit },
		});
	},
);
