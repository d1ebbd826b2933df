import type { FilterImplOptions } from "liquidjs";
import {
	type DateStyle,
	dateStyles,
	type Formats,
	formatMoment,
	formatMoney,
	formatNumber,
	isSingular,
	type Moment,
	readMoment,
} from "./formats.ts";

/** A value in a template: a text, a number or a moment. */
const isMoment = (value: unknown): value is Moment =>
	typeof value === "object" && value !== null && "at" in value && value.at instanceof Date;

/** Shows a value as its kind asks for; lists and missing values are empty. */
export function toText(value: unknown, formats: Formats): string {
	if (typeof value === "string") return value;
	if (typeof value === "number") return formatNumber(value, formats);
	if (isMoment(value)) return formatMoment(value, formats, "datetime");
	return "";
}

/** The host of a link, with letters outside ASCII as `xn--…`; empty if the text is not a link. */
export const hostOf = (text: string): string => (URL.canParse(text) ? new URL(text).host : "");

type Filter = (value: unknown, formats: Formats, ...options: unknown[]) => unknown;

const truncateMax = 1_000;

/** The filters of the language. None makes a text much longer than the value and its options. */
const filters: Readonly<Record<string, Filter>> = {
	/** Output is always escaped where it must be: the filter changes nothing. */
	escape: (value) => value,
	upcase: (value, formats) => toText(value, formats).toLocaleUpperCase(formats.locale),
	downcase: (value, formats) => toText(value, formats).toLocaleLowerCase(formats.locale),
	capitalize: (value, formats) => {
		const [first = "", ...rest] = toText(value, formats);
		return first.toLocaleUpperCase(formats.locale) + rest.join("");
	},
	truncate: (value, formats, length = 50) => {
		const text = toText(value, formats);
		const max = Math.min(Math.max(Math.trunc(Number(length)) || 0, 1), truncateMax);
		const characters = [...text.slice(0, 2 * max + 2)];
		return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : text;
	},
	host: (value) => (typeof value === "string" ? hostOf(value) : ""),
	default: (value, _formats, fallback = "") =>
		value === undefined || value === null || value === "" || value === false ? fallback : value,
	date: (value, formats, style = "date") => {
		const moment = typeof value === "string" ? (readMoment(value) ?? value) : value;
		if (!isMoment(moment)) return value;
		return formatMoment(moment, formats, isDateStyle(style) ? style : "date");
	},
	number: (value) => toNumber(value) ?? value,
	money: (value, formats, currency = formats.currency) => {
		const amount = toNumber(value);
		const code = toText(currency, formats);
		return amount === undefined ? `${code} ${toText(value, formats)}` : formatMoney(amount, code, formats);
	},
	plural: (value, formats, ...forms) => {
		const number = toNumber(value);
		return forms[number !== undefined && isSingular(number, formats) ? 0 : 1] ?? "";
	},
};

const isDateStyle = (value: unknown): value is DateStyle => dateStyles.some((style) => style === value);

/** A number, or the number that a text consists of. */
function toNumber(value: unknown): number | undefined {
	if (typeof value === "number") return value;
	return typeof value === "string" && /^-?\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : undefined;
}

/** The member of the globals that holds the formats. Templates cannot read it. */
export const formatsKey = " formats";

type WithContext = { context: { globals: object; memoryLimit: { use: (count: number) => void } } };

/** Returns the formats of a render. */
export const formatsOf = ({ context: { globals } }: WithContext): Formats =>
	(globals as Record<typeof formatsKey, Formats>)[formatsKey];

/** The filters as the engine calls them; what they return counts against its memory limit. */
export const handlers: ReadonlyArray<readonly [string, FilterImplOptions]> = Object.entries(filters).map(
	([name, filter]) => [
		name,
		function (this: WithContext, value: unknown, ...filterOptions: unknown[]): unknown {
			const result = filter(value, formatsOf(this), ...filterOptions);
			if (typeof result === "string") this.context.memoryLimit.use(result.length);
			return result;
		},
	],
);
