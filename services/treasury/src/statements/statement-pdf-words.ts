import { type Language, statementWords } from "@lango/contracts";
import type { Purpose } from "../ledger/postings/posting.ts";
import type { StatementLine, StatementOf } from "./statement.ts";

const english = {
	title: (tenant: string) => `Statement of ${tenant}`,
	days: (from: string, to: string, timeZone: string) => `${from} to ${to}, times of ${timeZone}`,
	opening: (sum: string) => `Opening balance ${sum}`,
	closing: "Closing balance",
	time: "Time",
	movement: "Movement",
	receipt: "Receipt",
	amount: "Amount",
	balance: "Balance",
};

const swahili: typeof english = {
	title: (tenant) => `Taarifa ya fedha ya ${tenant}`,
	days: (from, to, timeZone) => `${from} hadi ${to}, saa za ${timeZone}`,
	opening: (sum) => `Salio la mwanzo ${sum}`,
	closing: "Salio la mwisho",
	time: "Wakati",
	movement: "Mwendo",
	receipt: "Risiti",
	amount: "Kiasi",
	balance: "Salio",
};

/** What a statement as PDF says beside its movements. */
export const pdfWords: Readonly<Record<Language, typeof english>> = { en: english, sw: swahili };

/** What is posted on accounts of the platform only is in no statement. */
type OfTenant = Exclude<Purpose, "settlement" | "top_up" | "withdrawal">;

/** What a statement is of. */
export const nameAccount = (of: StatementOf, language: Language): string =>
	statementWords[language].accounts[of];

/** The name of a movement: one of the fees that are due is a fee, whatever caused it. */
export function nameMovement(
	{ account, purpose }: Pick<StatementLine, "account" | "purpose">,
	language: Language,
): string {
	const { purposes, fee } = statementWords[language];
	const names: Readonly<Record<OfTenant, string>> & Readonly<Partial<Record<string, string>>> = purposes;
	return account === "tenant.fees_due" ? fee : (names[purpose] ?? purpose);
}
