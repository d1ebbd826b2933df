import { text } from "node:stream/consumers";
import { readPdf } from "@lango/testkit";
import { describe, expect, test } from "vitest";
import type { StatementLine } from "./statement.ts";
import { writeStatementCsv } from "./statement-csv.ts";
import { type StatementHead, writeStatementPdf } from "./statement-pdf.ts";

const at = new Date("2027-03-01T08:00:00Z");
const line = (of: Partial<StatementLine> = {}): StatementLine => ({
	place: { at: BigInt(at.getTime()) * 1_000n, journalId: 1n, line: 1 },
	effectiveAt: new Date("2027-03-01T07:59:00Z"),
	purpose: "collection",
	source: { type: "receipt", id: "0196a1b2-0000-7000-8000-000000000001" },
	receipt: "SG632NMUAB",
	account: "tenant.pending",
	amountMinor: 100_000n,
	balanceMinor: 100_000n,
	...of,
});
const fee = line({ account: "tenant.fees_due", amountMinor: -3_500n, balanceMinor: 96_500n });

async function* pages(...all: ReadonlyArray<readonly StatementLine[]>) {
	yield* all;
}

describe("a statement as CSV", () => {
	test("has a line for each posting and each fee, with exact amounts in whole units of the currency", async () => {
		const csv = await text(writeStatementCsv(pages([line()], [fee]), "KES"));
		expect(csv.split("\r\n")).toEqual([
			"posted_at,effective_at,purpose,source_type,source_id,receipt,account,kind,amount,balance,currency",
			"2027-03-01T08:00:00.000Z,2027-03-01T07:59:00.000Z,collection,receipt,0196a1b2-0000-7000-8000-000000000001,SG632NMUAB,tenant.pending,amount,1000.00,1000.00,KES",
			"2027-03-01T08:00:00.000Z,2027-03-01T07:59:00.000Z,collection,receipt,0196a1b2-0000-7000-8000-000000000001,SG632NMUAB,tenant.fees_due,fee,-35.00,965.00,KES",
			"",
		]);
	});

	test("has what the gateway charged a shortcode as a fee", async () => {
		const charges = ["payout_charge", "refund_charge"].map((purpose) =>
			line({ purpose, account: "tenant.mobile", amountMinor: -2_240n, balanceMinor: 97_760n }),
		);
		const csv = await text(writeStatementCsv(pages(charges), "KES"));
		for (const purpose of ["payout_charge", "refund_charge"])
			expect(csv).toMatch(new RegExp(`,${purpose},.*,tenant\\.mobile,fee,-22\\.40,977\\.60,KES`));
	});

	test("is only its header if nothing was posted", async () => {
		expect((await text(writeStatementCsv(pages([]), "KES"))).split("\r\n")).toHaveLength(2);
	});

	test.each(["=1+1", "+1", "-1", "@a", "\tx"])(
		"has the text %j so that a spreadsheet does not compute it",
		async (purpose) => {
			const csv = await text(writeStatementCsv(pages([line({ purpose })]), "KES"));
			expect(csv).toContain(`,'${purpose},`);
		},
	);

	test("ends with the error of its pages, so that a part of it is not taken for all of it", async () => {
		async function* failing() {
			yield [line()];
			throw new Error("the database is away");
		}
		await expect(text(writeStatementCsv(failing(), "KES"))).rejects.toThrow("the database is away");
	});
});

describe("a statement as PDF", () => {
	const head: StatementHead = {
		...{ language: "en", tenant: "Kahawa", of: "platform_custody" },
		...{ currency: "KES", timeZone: "Africa/Nairobi" },
		...{ days: { from: "2027-03-01", to: "2027-03-31" }, openingMinor: 0n },
	};
	const pagesOf = (pdf: Buffer) => pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length;

	test("names its tenant, and has every line with its balance, the fees and the closing balance", async () => {
		const pdf = await writeStatementPdf(head, pages([line(), fee]));
		expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
		const written = readPdf(pdf);
		for (const part of [
			"Statement of Kahawa",
			"All at Lango, KES",
			"2027-03-01 to 2027-03-31",
			"11:00:00Payment receivedSG632NMUAB",
			"FeeSG632NMUAB-35.00",
		])
			expect(written).toContain(part);
		expect(written).toMatch(/1000\.00.*965\.00.*Closing balance965\.00$/);
	});

	test("is in Swahili as well", async () => {
		const written = readPdf(await writeStatementPdf({ ...head, language: "sw" }, pages([line(), fee])));
		for (const part of [
			"Taarifa ya fedha ya Kahawa",
			"2027-03-01 hadi 2027-03-31",
			"Malipo yamepokelewa",
			"AdaSG632NMUAB-35.00",
			"Salio la mwisho965.00",
		])
			expect(written).toContain(part);
	});

	test("calls what the gateway charged a shortcode its fee, and leaves a receipt empty that is not known", async () => {
		const of = { purpose: "payout_charge", account: "tenant.mobile", receipt: null };
		const written = readPdf(await writeStatementPdf(head, pages([line({ ...of, amountMinor: -2_240n })])));
		expect(written).toMatch(/Gateway.s fee for a payout-22\.40/);
	});

	test("of a tenant whose name has letters that the font does not know is written", async () => {
		const pdf = await writeStatementPdf({ ...head, tenant: "Ŋamba 東京" }, pages([line()]));
		expect(readPdf(pdf)).toContain("Closing balance");
	});

	test("has as many pages as its lines need", async () => {
		const lengths = [2, 120].map((many) => pages(Array.from({ length: many }, () => line())));
		const written = await Promise.all(lengths.map((one) => writeStatementPdf(head, one)));
		expect(written.map(pagesOf)).toEqual([1, 3]);
	});
});
