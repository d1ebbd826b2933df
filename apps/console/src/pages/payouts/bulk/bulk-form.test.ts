import { expect, test } from "vitest";
import { tables as payoutTables } from "../texts.ts";
import { checkBulk, readBulk, sumOf } from "./bulk-form.ts";
import { nameOf } from "./bulk-row.ts";
import { tables } from "./texts.ts";

const phone = { kind: "customer", to: "0712 345 678", amount_minor: "500", remarks: "Wages" };
const byCard = { recipient_id: "r1", amount_minor: "1500.50" };

function entered(rows: ReadonlyArray<Record<string, string>>, { rail = "mobile_money", twice = "" } = {}) {
	const form = new FormData();
	form.set("rail", rail);
	if (twice !== "") form.set("twice", twice);
	for (const [place, row] of rows.entries())
		for (const [name, value] of Object.entries(row)) form.set(nameOf(String(place), name), value);
	return form;
}

const keysOf = (rows: readonly object[]) => rows.map((_, place) => String(place));
const check = (
	rows: ReadonlyArray<Record<string, string>>,
	{ availableMinor, ...more }: { rail?: string; twice?: string; availableMinor?: number } = {},
) =>
	checkBulk(entered(rows, more), {
		...{ keys: keysOf(rows), currency: "KES", availableMinor },
		...{ words: payoutTables.en, bulk: tables.en },
	});

test("every row that is wrong has an error, with its number, at the field", () => {
	const rows = [
		{ ...phone, to: "12" },
		phone,
		{ ...phone, to: "0712 345 679", amount_minor: "1.50" },
		{ ...phone, to: "0712 345 670", remarks: "" },
	];
	expect(check(rows)).toEqual([
		{ field: "to-0", message: `Payout 1: ${payoutTables.en.toInvalid.customer}` },
		{ field: "amount_minor-2", message: `Payout 3: ${payoutTables.en.errors.amount_not_whole}` },
		{ field: "remarks-3", message: `Payout 4: ${payoutTables.en.remarksMissing}` },
	]);
});

test("by card, a row without an amount is wrong, and so is one without a recipient", () => {
	const rows = [
		{ ...byCard, amount_minor: "" },
		{ ...byCard, recipient_id: "" },
	];
	expect(check(rows, { rail: "card_gateway" }).map(({ field }) => field)).toEqual([
		"amount_minor-0",
		"recipient_id-1",
	]);
});

test("a row that pays what a row above pays is wrong, unless it is on purpose", () => {
	const rows = [phone, { ...phone, amount_minor: "600" }, { ...phone, to: "+254712345678" }];
	expect(check(rows)).toMatchObject([
		{ field: "amount_minor-2", message: expect.stringContaining("payout 1") },
	]);
	expect(check(rows, { twice: "yes" })).toEqual([]);
});

test("more than is available is refused by card, and more than 500 rows in any case", () => {
	const rows = [byCard, { ...byCard, recipient_id: "r2" }];
	expect(check(rows, { rail: "card_gateway", availableMinor: 300_099 })).toEqual([
		{ message: tables.en.tooMuch },
	]);
	expect(check(rows, { rail: "card_gateway", availableMinor: 300_100 })).toEqual([]);
	expect(check(Array.from({ length: 501 }, () => phone))).toHaveLength(1);
});

test("the rows are sent in their order, without fields of the other way", () => {
	const rows = [phone, { ...phone, kind: "business", to: "600500", account: "INV-7" }];
	const asked = { keys: keysOf(rows), currency: "KES" };
	expect(readBulk(entered(rows), asked)).toEqual([
		{ rail: "mobile_money", kind: "customer", to: "0712 345 678", amount_minor: 50_000, remarks: "Wages" },
		{
			...{ rail: "mobile_money", kind: "business", to: "600500", account: "INV-7" },
			...{ amount_minor: 50_000, remarks: "Wages" },
		},
	]);
	expect(sumOf(entered(rows), asked)).toBe(100_000);
	expect(readBulk(entered([byCard], { rail: "card_gateway" }), { keys: ["0"], currency: "KES" })).toEqual([
		{ rail: "card_gateway", recipient_id: "r1", amount_minor: 150_050 },
	]);
});
