import { type Command, commandsOf, shortcodeKinds } from "../payout.queries.ts";
import { commandNamed } from "../payout-payee.ts";
import { type BulkRow, makeRow, type Rail, type RowField } from "./bulk-row.ts";

/** The columns of lines without heads, in their order. */
const columnsOf: Readonly<Record<Rail, readonly RowField[]>> = {
	card_gateway: ["recipient_id", "amount_minor"],
	mobile_money: ["to", "amount_minor", "remarks", "account", "kind", "command"],
};

/** What a column may be called in its first line, in both languages. */
const heads: Readonly<Record<string, RowField>> = {
	...{ recipient: "recipient_id", mpokeaji: "recipient_id", to: "to", phone: "to", simu: "to", kwenda: "to" },
	...{ amount: "amount_minor", kiasi: "amount_minor", remarks: "remarks", maelezo: "remarks" },
	...{ account: "account", akaunti: "account", kind: "kind", aina: "kind", way: "command", njia: "command" },
};

/** The ways to pay, as a list calls them. */
const ways: Readonly<Record<string, Command>> = {
	...{ payment: "BusinessPayment", salary: "SalaryPayment", promotion: "PromotionPayment" },
	...{ paybill: "BusinessPayBill", till: "MerchantToMerchantTransfer" },
};

type Named = { id: string; name: string; masked_account: string };

/**
 * Makes rows of lines that were copied from a spreadsheet, or of CSV: with tabs, commas or semicolons. The
 * first line may name the columns. A recipient is found by its name, or by the last digits of its account;
 * one that is not found, or is not the only one, is left to be chosen.
 */
export function pasteRows(
	text: string,
	{ rail, recipients }: { rail: Rail; recipients: readonly Named[] },
): BulkRow[] {
	const lines = readLines(text);
	const named = (lines[0] ?? []).map((cell) => heads[cell.trim().toLowerCase()]);
	const hasHeads = named.some((field) => field !== undefined);
	const columns = hasHeads ? named : columnsOf[rail];
	return lines.slice(hasHeads ? 1 : 0).map((cells) => {
		const entries = cells.flatMap((cell, place) => {
			const column = columns[place];
			return column === undefined || cell.trim() === "" ? [] : [[column, cell.trim()] as const];
		});
		const values: Partial<Record<RowField, string>> = Object.fromEntries(entries);
		return makeRow({ ...values, ...knownOf(values, recipients) });
	});
}

/** What the page offers to choose from. A way to pay says of what kind a payee is, if nothing else does. */
function knownOf(values: Partial<Record<RowField, string>>, recipients: readonly Named[]) {
	const way = ways[values.command?.toLowerCase() ?? ""];
	const ofWay = shortcodeKinds.find((one) => way !== undefined && commandsOf[one].includes(way));
	const kind = shortcodeKinds.find((one) => one === values.kind) ?? ofWay ?? "customer";
	const command = commandNamed(kind, way) ?? "";
	return { kind, command, recipient_id: findRecipient(values.recipient_id ?? "", recipients) };
}

function findRecipient(text: string, recipients: readonly Named[]): string {
	const wanted = text.toLowerCase();
	const digits = /\d{4}$/.exec(text)?.[0];
	const byName = recipients.filter(({ name }) => name.toLowerCase() === wanted);
	const byAccount = recipients.filter(
		({ masked_account: account }) => digits !== undefined && account.endsWith(digits),
	);
	const [found, ...others] = byName.length > 0 ? byName : byAccount;
	return found === undefined || others.length > 0 ? "" : found.id;
}

/** Splits text into lines of cells. A cell in quotation marks may have the sign between cells, and breaks. */
function readLines(text: string): string[][] {
	const between = text.includes("\t") ? "\t" : text.includes(";") ? ";" : ",";
	const lines: string[][] = [[]];
	const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${between}\\r\\n]*))(${between}|\\r?\\n|$)`, "gy");
	for (const [, quoted, plain = "", end] of text.trim().matchAll(cell)) {
		lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
		if (end === "") break;
		if (end !== between) lines.push([]);
	}
	return lines.filter((cells) => cells.some((one) => one.trim() !== ""));
}
