import { textOf, textsOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError, type Rule } from "../../forms/rules.ts";
import type { Kind, NewVersion, Overage } from "./catalogue.queries.ts";
import { readMoney } from "./money-input.ts";

/** The field names of a limit, and of usage over it. */
export const limitField = (code: string) => `limit:${code}`;
export const unitField = (code: string) => `unit:${code}`;
export const capField = (code: string) => `cap:${code}`;

/** Overage is sold only for limits that are counted by day or period. */
export const isSoldBeyond = (code: string) => code.endsWith("_per_day") || code.endsWith("_per_period");

const greatest = 2_147_483_647;
const daysMax = 365;

/** Reads a whole number up to `max`; NaN if it is not valid. `-1` means no limit where it is allowed. */
function readWhole(text: string, { max, mayBeUnlimited = false }: { max: number; mayBeUnlimited?: boolean }) {
	if (mayBeUnlimited && text === "-1") return -1;
	const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
	return number <= max ? number : Number.NaN;
}

type Codes = { limits: readonly string[] };

/**
 * Reads the form into the request of the subscription service. An invalid number is NaN, which
 * `checkVersion` reports.
 */
export function readVersion(entered: FormData, kind: Kind, { limits }: Codes): NewVersion {
	const currency = textOf(entered, "currency").toUpperCase();
	const held = limits.flatMap((code) => {
		const text = textOf(entered, limitField(code));
		return text === "" ? [] : [[code, readWhole(text, { max: greatest, mayBeUnlimited: true })] as const];
	});
	const price = {
		price_minor: readMoney(textOf(entered, "price"), currency) ?? Number.NaN,
		currency,
		interval: textOf(entered, "interval") === "year" ? ("year" as const) : ("month" as const),
		features: textsOf(entered, "features"),
		limits: Object.fromEntries(held),
	};
	if (kind === "add-ons") return { ...price, products: textsOf(entered, "products") };
	return {
		...price,
		bundle: textOf(entered, "bundle"),
		trial_days: readWhole(textOf(entered, "trial_days"), { max: daysMax }),
		grace_days: readWhole(textOf(entered, "grace_days"), { max: daysMax }),
		overage: readOverage(entered, limits.filter(isSoldBeyond), currency),
	};
}

function readOverage(entered: FormData, codes: readonly string[], currency: string): Overage {
	const sold = codes.flatMap((code) => {
		const [unit, cap] = [textOf(entered, unitField(code)), textOf(entered, capField(code))];
		if (unit === "" && cap === "") return [];
		const unit_price_minor = readMoney(unit, currency) || Number.NaN;
		return [[code, { unit_price_minor, cap: readWhole(cap, { max: greatest }) }] as const];
	});
	return Object.fromEntries(sold);
}

export type VersionWords = {
	currency: string;
	price: string;
	days: string;
	limit: string;
	unit: string;
	cap: string;
};

/** Validates a version before it is published, because it can never be changed. */
export function checkVersion(version: NewVersion, words: VersionWords): readonly InputError[] {
	const isWrong = (number: number | undefined) => Number.isNaN(number);
	// Without its currency no amount can be read.
	const hasCurrency = /^[A-Z]{3}$/.test(version.currency);
	return errorsOf([
		[!hasCurrency, "currency", words.currency],
		[hasCurrency && isWrong(version.price_minor), "price", words.price],
		[isWrong(version.trial_days), "trial_days", words.days],
		[isWrong(version.grace_days), "grace_days", words.days],
		...Object.entries(version.limits).map(
			([code, limit]): Rule => [isWrong(limit), limitField(code), words.limit],
		),
		...Object.entries(version.overage ?? {}).flatMap(([code, { unit_price_minor, cap }]): Rule[] => [
			[hasCurrency && isWrong(unit_price_minor), unitField(code), words.unit],
			[isWrong(cap), capField(code), words.cap],
		]),
	]);
}
