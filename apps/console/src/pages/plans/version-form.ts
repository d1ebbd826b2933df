import { textOf, textsOf } from "../../forms/form-data.ts";
import type { InputError } from "../../forms/input-errors.ts";
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
export function checkVersion(version: NewVersion, words: VersionWords): InputError | undefined {
	if (!/^[A-Z]{3}$/.test(version.currency)) return { field: "currency", message: words.currency };
	if (Number.isNaN(version.price_minor)) return { field: "price", message: words.price };
	for (const field of ["trial_days", "grace_days"] as const)
		if (Number.isNaN(version[field])) return { field, message: words.days };
	const limit = Object.keys(version.limits).find((code) => Number.isNaN(version.limits[code]));
	if (limit !== undefined) return { field: limitField(limit), message: words.limit };
	return checkOverage(version.overage ?? {}, words);
}

function checkOverage(overage: Overage, words: VersionWords): InputError | undefined {
	for (const [code, { unit_price_minor, cap }] of Object.entries(overage)) {
		if (Number.isNaN(unit_price_minor)) return { field: unitField(code), message: words.unit };
		if (Number.isNaN(cap)) return { field: capField(code), message: words.cap };
	}
	return undefined;
}
