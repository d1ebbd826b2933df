import { expect, test } from "vitest";
import { pasteRows } from "./paste-rows.ts";

const recipients = [
	{ id: "soko", name: "Soko Account", masked_account: "•••• 0777" },
	{ id: "duka", name: "Duka, Ltd", masked_account: "•••• 0888" },
	{ id: "duka2", name: "Duka Two", masked_account: "•••• 0888" },
];
const byPhone = (text: string) =>
	pasteRows(text, { rail: "mobile_money", recipients }).map(
		({ key: _key, recipient_id: _id, ...row }) => row,
	);
const byCard = (text: string) =>
	pasteRows(text, { rail: "card_gateway", recipients }).map(({ recipient_id, amount_minor }) => [
		...[recipient_id, amount_minor],
	]);
const row = { kind: "customer", command: "", to: "", account: "", amount_minor: "", remarks: "" };

test("lines of a spreadsheet and of CSV become rows, in the order of the columns", () => {
	const wages = { ...row, to: "0712345678", amount_minor: "500", remarks: "Wages, March" };
	expect(byPhone("0712345678\t500\tWages, March\n")).toEqual([wages]);
	expect(byPhone('0712345678,500,"Wages, March"\r\n\r\n600500,2,Stock')).toEqual([
		wages,
		{ ...row, to: "600500", amount_minor: "2", remarks: "Stock" },
	]);
	expect(byPhone("0712345678;500;Wages, March;INV-7;business")).toEqual([
		{ ...wages, account: "INV-7", kind: "business" },
	]);
});

test.each([
	["English", "remarks,to,amount\nWages,0712345678,500"],
	["Swahili", "Maelezo;Simu;Kiasi\nWages;0712345678;500"],
])("the first line may name the columns, in %s", (_language, text) => {
	expect(byPhone(text)).toEqual([{ ...row, to: "0712345678", amount_minor: "500", remarks: "Wages" }]);
});

test.each([
	["Salary", "customer", "SalaryPayment"],
	["till", "business", "MerchantToMerchantTransfer"],
	["soon", "customer", ""],
])("the way %s to pay is chosen, with the kind of payee that has it", (way, kind, command) => {
	const named = `to,amount,way\n600500,500,${way}`;
	expect(byPhone(named)).toEqual([{ ...row, to: "600500", amount_minor: "500", kind, command }]);
	expect(byPhone(`600500,500,Stock,,personal_till,${way}`)).toMatchObject([
		{ kind: "personal_till", command: "" },
	]);
});

test("a recipient is found by its name, or by digits of its account that are its own", () => {
	expect(byCard('soko account,100\n"Duka, Ltd",200\n1100200300777,300\n0888,400\nUnknown,500')).toEqual([
		["soko", "100"],
		["duka", "200"],
		["soko", "300"],
		["", "400"],
		["", "500"],
	]);
});

test("a quotation mark in a cell is written twice, and text without a line makes no row", () => {
	expect(byPhone('0712345678,500,"A ""new"" chair"')).toMatchObject([{ remarks: 'A "new" chair' }]);
	expect(byPhone(" \n ")).toEqual([]);
});
