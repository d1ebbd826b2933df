import { expect, test } from "vitest";
import { mintAccountCode } from "../payments/account-code.ts";
import { readStatementFile } from "./read-statement-file.ts";

const head = "Date,Reference,Amount,Balance,Description";
const named = { accountRef: null, payer: null };
const file = (...lines: string[]) => `\uFEFF${[head, ...lines].join("\r\n")}\r\n`;

test("lines are read by the names of their columns, with quotes, thousands and signs", () => {
	const text = file(
		'2026-11-26,S3090024,"1,965.00",0,"Settlement, card"',
		"2026-11-27T08:00:00+03:00,TOP-1,-0.5,,",
	);
	expect(readStatementFile(text)).toEqual([
		{
			...{ line: 2, at: new Date("2026-11-26"), amountMinor: 196_500n, reference: "S3090024" },
			description: "Settlement, card",
			...named,
		},
		{
			...{ line: 3, at: new Date("2026-11-27T05:00:00Z"), amountMinor: -50n, reference: "TOP-1" },
			description: "",
			...named,
		},
	]);
});

test("account and payer are read if they are an account code and a phone, in full or masked", () => {
	const code = mintAccountCode();
	const typed = `${code.slice(0, 3)} ${code.slice(3).toLowerCase()}`;
	const text = [
		"date,amount,reference,account,payer",
		`2026-11-26,1.00,A,${typed},254712345678 - ASHA MWANGI`,
		"2026-11-26,1.00,B,Rent,2547***678",
		"2026-11-26,1.00,C,,600310 - A Shop",
	].join("\n");
	expect(readStatementFile(text)).toMatchObject([
		{ accountRef: code, payer: "254712345678" },
		{ accountRef: "", payer: "2547•••••678" },
		{ accountRef: null, payer: null },
	]);
});

test("a statement without lines has none", () => {
	expect(readStatementFile(file())).toEqual([]);
});

test.each([
	["a column is missing", "date,amount\n", { line: 1, column: "reference" }],
	["a date of another form", file("26/11/2026,A,1.00"), { line: 2, column: "date" }],
	["a day that does not exist", file("2026-11-31,A,1.00"), { line: 2, column: "date" }],
	[
		"an amount with a decimal comma",
		file("2026-11-26,A,1.00", '2026-11-26,B,"1,00"'),
		{ line: 3, column: "amount" },
	],
	["an amount of nothing", file("2026-11-26,A,0.00"), { line: 2, column: "amount" }],
	["no reference", file("2026-11-26,,1.00"), { line: 2, column: "reference" }],
	["a quote that does not end", file('2026-11-26,"A,1.00'), { line: 3, column: "" }],
])("%s is named with its line and column", (_title, text, where) => {
	expect(readStatementFile(text)).toMatchObject(where);
});
