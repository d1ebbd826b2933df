import { setImmediate as nextTurn } from "node:timers/promises";
import PdfDocument from "pdfkit";
import { timeOf } from "../ledger/place.ts";
import { type Days, isFee, type StatementLine, toDecimal } from "./statement.ts";

/** The most lines that are written as one PDF. */
export const pdfLinesMax = 10_000;

/** What the head of a statement says. */
export type StatementHead = {
	tenant: string;
	of: string;
	currency: string;
	days: Days;
	timeZone: string;
	openingMinor: bigint;
};

type Column = { title: string; x: number; width: number; align: "left" | "right" };

const margin = 40;
const rowHeight = 13;
const tableTop = 130;
const lowest = 790;
const columns: readonly Column[] = [
	{ title: "Time", x: margin, width: 95, align: "left" },
	{ title: "What", x: 135, width: 85, align: "left" },
	{ title: "Source", x: 220, width: 135, align: "left" },
	{ title: "Amount", x: 355, width: 95, align: "right" },
	{ title: "Balance", x: 450, width: 105, align: "right" },
];

/**
 * Writes a statement as PDF, with lines of `pdfLinesMax` at most. It yields to other work after each page,
 * because a long statement takes seconds.
 */
export async function writeStatementPdf(
	head: StatementHead,
	pages: AsyncIterable<readonly StatementLine[]>,
): Promise<Buffer> {
	const pdf = new PdfDocument({ size: "A4", margin, info: { Title: `Statement of ${head.tenant}` } });
	const chunks: Buffer[] = [];
	pdf.on("data", (chunk: Buffer) => void chunks.push(chunk));
	const ended = new Promise<void>((resolve, reject) => pdf.once("end", resolve).once("error", reject));
	writeHead(pdf, head);
	let y = writeTitles(pdf, tableTop);
	let balanceMinor = head.openingMinor;
	for await (const lines of pages)
		for (const line of lines) {
			if (y > lowest) {
				pdf.addPage();
				y = writeTitles(pdf, margin);
				await nextTurn();
			}
			y = writeRow(pdf, y, cellsOf(line, head));
			balanceMinor = line.balanceMinor;
		}
	pdf.font("Helvetica-Bold");
	writeRow(pdf, y + 4, ["Closing balance", "", "", "", toDecimal(balanceMinor, head.currency)]);
	pdf.end();
	await ended;
	return Buffer.concat(chunks);
}

function writeHead(pdf: PDFKit.PDFDocument, head: StatementHead): void {
	const { tenant, of, currency, days, timeZone, openingMinor } = head;
	pdf.font("Helvetica-Bold").fontSize(16).text(`Statement of ${tenant}`, margin, margin);
	pdf.font("Helvetica").fontSize(9);
	pdf.text(`${of.replaceAll("_", " ")}, ${currency}`);
	pdf.text(`${days.from} to ${days.to}, times of ${timeZone}`);
	pdf.text(`Opening balance ${toDecimal(openingMinor, currency)}`);
}

function writeTitles(pdf: PDFKit.PDFDocument, y: number): number {
	pdf.font("Helvetica-Bold").fontSize(8);
	const next = writeRow(
		pdf,
		y,
		columns.map(({ title }) => title),
	);
	pdf.font("Helvetica");
	return next;
}

function writeRow(pdf: PDFKit.PDFDocument, y: number, cells: readonly string[]): number {
	for (const [index, { x, width, align }] of columns.entries())
		pdf.text(cells[index] ?? "", x, y, { width, align, lineBreak: false, ellipsis: true });
	return y + rowHeight;
}

function cellsOf(line: StatementLine, { currency, timeZone }: StatementHead): readonly string[] {
	return [
		timeIn(timeZone, timeOf(line.place)),
		isFee(line) ? `${line.purpose}, fee` : line.purpose,
		`${line.source.type} ${line.receipt ?? line.source.id.slice(-12)}`,
		toDecimal(line.amountMinor, currency),
		toDecimal(line.balanceMinor, currency),
	];
}

const timeIn = (timeZone: string, at: Date): string =>
	at.toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
