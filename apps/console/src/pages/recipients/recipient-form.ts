import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../forms/rules.ts";
import { readMoney } from "../plans/money-input.ts";
import type { Bank } from "./recipient.queries.ts";

type Words = { nameMissing: string; bankMissing: string; accountInvalid: string };

/** The account number without the spaces and hyphens that people type. */
const accountOf = (entered: FormData) => textOf(entered, "account_number").replace(/[\s-]/g, "");

/** Finds the fields that the treasury would refuse. */
export function checkRecipient(entered: FormData, words: Words): readonly InputError[] {
	return errorsOf([
		[textOf(entered, "bank") === "", "bank", words.bankMissing],
		[textOf(entered, "name") === "", "name", words.nameMissing],
		[!/^[0-9A-Za-z+]{4,34}$/.test(accountOf(entered)), "account_number", words.accountInvalid],
	]);
}

/** The request of a form. The currency is the bank's, else the tenant's. */
export function readRecipient(entered: FormData, banks: readonly Bank[], currency: string) {
	const code = textOf(entered, "bank");
	return {
		...{ type: textOf(entered, "type"), name: textOf(entered, "name") },
		...{ account_number: accountOf(entered), bank_code: code },
		currency: banks.find((bank) => bank.code === code)?.currency ?? currency,
	};
}

/** Whether the gateway's word for a kind of bank means mobile money. */
const isMobileMoney = ({ type }: Bank) => type?.includes("mobile_money") === true;

/** The banks of one kind of recipient. */
export const banksOf = (banks: readonly Bank[], type: string): readonly Bank[] =>
	banks.filter((bank) => isMobileMoney(bank) === (type === "mobile_money"));

const minimumMax = 1_000_000_000_000;

const amountOf = (entered: FormData, name: string, currency: string) =>
	readMoney(textOf(entered, name), currency);

type Checking = {
	currency: string;
	/** The most that the limit of approval may be. */
	approvalMaxMinor: number;
	words: { minimumInvalid: string; approvalInvalid: string };
};

/** Finds amounts that the treasury would refuse. */
export function checkPayouts(
	entered: FormData,
	{ currency, approvalMaxMinor, words }: Checking,
): readonly InputError[] {
	const minimum = amountOf(entered, "minimum", currency);
	const limit = amountOf(entered, "approval_above_minor", currency);
	const isLimit = limit !== undefined && limit <= approvalMaxMinor;
	return errorsOf([
		[minimum === undefined || minimum > minimumMax, "minimum", words.minimumInvalid],
		[!isLimit, "approval_above_minor", words.approvalInvalid],
	]);
}

/** The request of a form of payouts. */
export function readPayouts(entered: FormData, currency: string) {
	const recipient = textOf(entered, "recipient_id");
	return {
		recipient_id: recipient === "" ? null : recipient,
		schedule: textOf(entered, "schedule"),
		minimum_minor: amountOf(entered, "minimum", currency),
		approval_above_minor: amountOf(entered, "approval_above_minor", currency),
	};
}
