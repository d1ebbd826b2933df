import { textOf } from "../../../forms/form-data.ts";
import { errorsOf, type InputError } from "../../../forms/rules.ts";
import { readMoney } from "../../plans/money-input.ts";
import type { Pack } from "../credit.queries.ts";

const segmentsMax = 10_000_000;
const priceMax = 1_000_000_000;
const codeForm = /^[a-z][a-z0-9_]{0,59}$/;

type PackWords = { code: string; segments: string; currency: string; price: string };

/** The pack that was entered. A number that is not valid is NaN. */
export function readPack(entered: FormData): Pack {
	const segments = textOf(entered, "segments");
	const currency = textOf(entered, "currency").toUpperCase();
	return {
		...{ code: textOf(entered, "code"), currency },
		segments: /^\d{1,8}$/.test(segments) ? Number(segments) : Number.NaN,
		price_minor: readMoney(textOf(entered, "price_minor"), currency) ?? Number.NaN,
	};
}

/** Finds the invalid fields of a pack. */
export function checkPack(entered: FormData, words: PackWords): readonly InputError[] {
	const { code, segments, currency, price_minor: price } = readPack(entered);
	// Without its currency the price cannot be read.
	const hasCurrency = /^[A-Z]{3}$/.test(currency);
	return errorsOf([
		[!codeForm.test(code), "code", words.code],
		[!(segments >= 1 && segments <= segmentsMax), "segments", words.segments],
		[!hasCurrency, "currency", words.currency],
		[hasCurrency && !(price >= 1 && price <= priceMax), "price_minor", words.price],
	]);
}
