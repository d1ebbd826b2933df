import type { Language } from "./language.ts";

/** Both languages as they are written in East Africa: day before month, the shilling's own sign. */
const locales: Readonly<Record<Language, string>> = { en: "en-KE", sw: "sw-KE" };

/**
 * An instant as a day and a time in a zone, for example "21 Nov 2026, 14:05". `timeZone` is the tenant's, such as "Africa/Nairobi". A day is
 * never broken apart at the end of a line.
 */
export function formatTime(at: string | Date, { language, timeZone }: Zoned): string {
	const format = new Intl.DateTimeFormat(locales[language], {
		dateStyle: "medium",
		timeStyle: "short",
		hourCycle: "h23",
		timeZone,
	});
	return keepTogether(format.format(new Date(at)));
}

/** An instant as a day in a zone, for example "21 Nov 2026". */
export function formatDay(at: string | Date, { language, timeZone }: Zoned): string {
	const format = new Intl.DateTimeFormat(locales[language], { dateStyle: "medium", timeZone });
	return keepTogether(format.format(new Date(at)));
}

/** With spaces that no line ends at, but for the one between a day and a time. */
const keepTogether = (text: string) => text.replace(/(?<!,) /g, "\u00a0");

/** An amount in a currency's lowest units, for example 250000 of KES as "Ksh 2,500.00". */
export function formatMoney(minor: number, { currency, language }: Priced): string {
	const format = new Intl.NumberFormat(locales[language], { style: "currency", currency });
	const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
	return format.format(minor / 10 ** digits);
}

/** A number with its separators, for example "12,000". */
export function formatNumber(number: number, language: Language): string {
	return new Intl.NumberFormat(locales[language]).format(number);
}

/** What a zone is called in a language now, for example "East Africa Time": it had other names in other years, and has two where clocks change. */
export function nameZone({ language, timeZone }: Zoned): string {
	const format = new Intl.DateTimeFormat(locales[language], { timeZone, timeZoneName: "long" });
	return format.formatToParts(new Date()).find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

type Zoned = { language: Language; timeZone: string };
type Priced = { currency: string; language: Language };
