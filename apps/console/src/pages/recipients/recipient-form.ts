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

const minimumOf = (entered: FormData, currency: string) => readMoney(textOf(entered, "minimum"), currency);

/** Finds a smallest payout that is not an amount. */
export function checkPayouts(
	entered: FormData,
	{ currency, minimumInvalid }: { currency: string; minimumInvalid: string },
): readonly InputError[] {
	const minor = minimumOf(entered, currency);
	return errorsOf([[minor === undefined || minor > minimumMax, "minimum", minimumInvalid]]);
}

/** The request of a form of payouts. The limit of approval is not changed here. */
export function readPayouts(
	entered: FormData,
	{ currency, approvalAboveMinor }: { currency: string; approvalAboveMinor: number },
) {
	const recipient = textOf(entered, "recipient_id");
	return {
		recipient_id: recipient === "" ? null : recipient,
		schedule: textOf(entered, "schedule"),
		minimum_minor: minimumOf(entered, currency),
		approval_above_minor: approvalAboveMinor,
	};
}
