import { setImmediate as nextTurn } from "node:timers/promises";
import type { Language } from "@lango/contracts";
import PdfDocument from "pdfkit";
import { timeOf } from "../ledger/place.ts";
import { type Days, type StatementLine, type StatementOf, toDecimal } from "./statement.ts";
import { nameAccount, nameMovement, pdfWords } from "./statement-pdf-words.ts";

/** The most lines that are written as one PDF. */
export const pdfLinesMax = 10_000;

/** What the head of a statement says, and in which language. */
export type StatementHead = {
	language: Language;
	tenant: string;
	of: StatementOf;
	currency: string;
	days: Days;
	timeZone: string;
	openingMinor: bigint;
};

type Column = {
	title: "time" | "movement" | "receipt" | "amount" | "balance";
	x: number;
	width: number;
	align: "left" | "right";
};

const margin = 40;
const rowHeight = 13;
const tableTop = 130;
const lowest = 790;
const columns: readonly Column[] = [
	{ title: "time", x: margin, width: 85, align: "left" },
	{ title: "movement", x: 125, width: 165, align: "left" },
	{ title: "receipt", x: 290, width: 95, align: "left" },
	{ title: "amount", x: 385, width: 80, align: "right" },
	{ title: "balance", x: 465, width: 90, align: "right" },
];

/**
 * Writes a statement as PDF, with lines of `pdfLinesMax` at most. It yields to other work after each page,
 * because a long statement takes seconds.
 */
export async function writeStatementPdf(
	head: StatementHead,
	pages: AsyncIterable<readonly StatementLine[]>,
): Promise<Buffer> {
	const { language, tenant, currency } = head;
	const words = pdfWords[language];
	const info = { Title: words.title(tenant) };
	const pdf = new PdfDocument({ size: "A4", margin, lang: language, info });
	const chunks: Buffer[] = [];
	pdf.on("data", (chunk: Buffer) => void chunks.push(chunk));
	const ended = new Promise<void>((resolve, reject) => pdf.once("end", resolve).once("error", reject));
	writeHead(pdf, head);
	let y = writeTitles(pdf, tableTop, language);
	let balanceMinor = head.openingMinor;
	for await (const lines of pages)
		for (const line of lines) {
			if (y > lowest) {
				pdf.addPage();
				y = writeTitles(pdf, margin, language);
				await nextTurn();
			}
			y = writeRow(pdf, y, cellsOf(line, head));
			balanceMinor = line.balanceMinor;
		}
	pdf.font("Helvetica-Bold");
	writeRow(pdf, y + 4, [words.closing, "", "", "", toDecimal(balanceMinor, currency)]);
	pdf.end();
	await ended;
	return Buffer.concat(chunks);
}

function writeHead(pdf: PDFKit.PDFDocument, head: StatementHead): void {
	const { language, tenant, of, currency, days, timeZone, openingMinor } = head;
	const words = pdfWords[language];
	pdf.font("Helvetica-Bold").fontSize(16).text(words.title(tenant), margin, margin);
	pdf.font("Helvetica").fontSize(9);
	pdf.text(`${nameAccount(of, language)}, ${currency}`);
	pdf.text(words.days(days.from, days.to, timeZone));
	pdf.text(words.opening(toDecimal(openingMinor, currency)));
}

function writeTitles(pdf: PDFKit.PDFDocument, y: number, language: Language): number {
	pdf.font("Helvetica-Bold").fontSize(8);
	const next = writeRow(
		pdf,
		y,
		columns.map(({ title }) => pdfWords[language][title]),
	);
	pdf.font("Helvetica");
	return next;
}

function writeRow(pdf: PDFKit.PDFDocument, y: number, cells: readonly string[]): number {
	for (const [index, { x, width, align }] of columns.entries())
		pdf.text(cells[index] ?? "", x, y, { width, align, lineBreak: false, ellipsis: true });
	return y + rowHeight;
}

function cellsOf(line: StatementLine, { language, currency, timeZone }: StatementHead): readonly string[] {
	return [
		timeIn(timeZone, timeOf(line.place)),
		nameMovement(line, language),
		line.receipt ?? "",
		toDecimal(line.amountMinor, currency),
		toDecimal(line.balanceMinor, currency),
	];
}

const timeIn = (timeZone: string, at: Date): string =>
	at.toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
