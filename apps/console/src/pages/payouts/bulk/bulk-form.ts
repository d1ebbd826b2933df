import { textOf } from "../../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../../forms/rules.ts";
import { readMoney } from "../../plans/money-input.ts";
import type { PayoutRequest } from "../payout.queries.ts";
import { checkPayout, readPayout } from "../payout-form.ts";
import { bulkMax, nameOf, rowFields } from "./bulk-row.ts";

type PayoutWords = Parameters<typeof checkPayout>[1]["words"] & { errors: { amount_not_whole: string } };

type Checking = {
	/** The rows, in their order. */
	keys: readonly string[];
	currency: string;
	/** What can be paid out of the money at the platform; undefined if it is not known. */
	availableMinor: number | undefined;
	words: PayoutWords;
	bulk: {
		tooMany: (most: string) => string;
		tooMuch: string;
		sameAs: (number: string) => string;
		inRow: (number: string, message: string) => string;
	};
};

/** The entries of a row, as those of a single payout. */
function rowOf(entered: FormData, key: string): FormData {
	const row = new FormData();
	row.set("rail", textOf(entered, "rail"));
	for (const field of rowFields) row.set(field, textOf(entered, nameOf(key, field)));
	return row;
}

/**
 * Finds all that the treasury would refuse, as far as the page can know, and rows that pay the same amount to
 * the same account, unless that is wanted. Each error is about a field of a row.
 */
export function checkBulk(entered: FormData, checking: Checking): readonly InputError[] {
	const { keys, bulk } = checking;
	if (keys.length > bulkMax) return [{ message: bulk.tooMany(String(bulkMax)) }];
	const twice = textOf(entered, "twice") === "" ? findSame(entered, keys) : new Map<string, string>();
	const errors = keys.flatMap((key, place) => {
		const first = twice.get(key);
		const found = checkRow(rowOf(entered, key), checking);
		const same = found.length === 0 && first !== undefined;
		return [...found, ...errorsOf([[same, "amount_minor", bulk.sameAs(first ?? "")]])].map((error) => ({
			message: bulk.inRow(String(place + 1), error.message),
			field: nameOf(key, error.field ?? "amount_minor"),
		}));
	});
	return errors.length > 0 || !isTooMuch(entered, checking) ? errors : [{ message: bulk.tooMuch }];
}

function checkRow(row: FormData, { currency, words }: Checking): readonly InputError[] {
	const minor = readMoney(textOf(row, "amount_minor"), currency);
	const isPart = textOf(row, "rail") === "mobile_money" && (minor ?? 0) % 100 !== 0;
	const found = checkPayout(row, { currency, words });
	const amount = errorsOf([
		// All that is available cannot be asked for among others.
		[minor === undefined, "amount_minor", words.amountInvalid],
		[isPart, "amount_minor", words.errors.amount_not_whole],
	]);
	return found.some(({ field }) => field === "amount_minor") ? found : [...found, ...amount];
}

/** The rows that pay what a row above pays, each with the number of that row. */
function findSame(entered: FormData, keys: readonly string[]): Map<string, string> {
	const places = new Map<string, string>();
	const same = new Map<string, string>();
	for (const [place, key] of keys.entries()) {
		const pays = payeeOf(rowOf(entered, key));
		const before = places.get(pays);
		if (before === undefined) places.set(pays, String(place + 1));
		else same.set(key, before);
	}
	return same;
}

/** A phone is the same with and without its country code. */
function payeeOf(row: FormData): string {
	const digits = textOf(row, "to").replaceAll(/\D/g, "");
	const to = textOf(row, "kind") === "customer" ? digits.slice(-9) : digits;
	const amount = textOf(row, "amount_minor").replaceAll(/\s/g, "");
	return JSON.stringify([textOf(row, "recipient_id"), to, textOf(row, "account"), amount]);
}

function isTooMuch(entered: FormData, { keys, currency, availableMinor }: Checking): boolean {
	if (textOf(entered, "rail") !== "card_gateway" || availableMinor === undefined) return false;
	return sumOf(entered, { keys, currency }) > availableMinor;
}

/** What the rows come to so far. */
export function sumOf(
	entered: FormData,
	{ keys, currency }: { keys: readonly string[]; currency: string },
): number {
	const minors = keys.map((key) => readMoney(textOf(entered, nameOf(key, "amount_minor")), currency) ?? 0);
	return minors.reduce((sum, minor) => sum + minor, 0);
}

/** The request of a form that was checked. */
export const readBulk = (
	entered: FormData,
	{ keys, currency }: { keys: readonly string[]; currency: string },
): PayoutRequest[] => keys.map((key) => readPayout(rowOf(entered, key), currency));
