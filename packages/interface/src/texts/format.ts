import type { Language } from "./language.ts";

/** The locales of East Africa: day before month, and the symbol of the shilling. */
const locales: Readonly<Record<Language, string>> = { en: "en-KE", sw: "sw-KE" };

/**
 * Formats an instant as date and time, for example "21 Nov 2026, 14:05". `timeZone` is the tenant's time
 * zone, for example "Africa/Nairobi". The date is not broken across lines.
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

/** Formats an instant as a date in a time zone, for example "21 Nov 2026". */
export function formatDay(at: string | Date, { language, timeZone }: Zoned): string {
	const format = new Intl.DateTimeFormat(locales[language], { dateStyle: "medium", timeZone });
	return keepTogether(format.format(new Date(at)));
}

/** Replaces spaces by non-breaking spaces, except between date and time. */
const keepTogether = (text: string) => text.replace(/(?<!,) /g, "\u00a0");

/** Formats an amount in minor units, for example 250000 of KES as "Ksh 2,500.00". */
export function formatMoney(minor: number, { currency, language }: Priced): string {
	const format = new Intl.NumberFormat(locales[language], { style: "currency", currency });
	const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
	return format.format(minor / 10 ** digits);
}

/** Formats a number with separators, for example "12,000". */
export function formatNumber(number: number, language: Language): string {
	return new Intl.NumberFormat(locales[language]).format(number);
}

/** The current name of a time zone, for example "East Africa Time". It depends on daylight saving time. */
export function nameZone({ language, timeZone }: Zoned): string {
	const format = new Intl.DateTimeFormat(locales[language], { timeZone, timeZoneName: "long" });
	return format.formatToParts(new Date()).find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

type Zoned = { language: Language; timeZone: string };
type Priced = { currency: string; language: Language };
