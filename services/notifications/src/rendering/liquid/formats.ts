/** How values are shown: the language of the content, and the zone and the currency of the tenant. */
export type Formats = { locale: string; timeZone: string; currency: string };

/** An instant, or a day of the calendar that no zone moves. */
export type Moment = { at: Date; isDay: boolean };

/** The suite's languages as they are written in Kenya, like in its pages. */
const tags: Readonly<Record<string, string>> = { en: "en-KE", sw: "sw-KE" };
const tagOf = (locale: string): string => tags[locale] ?? locale;

const formattersMax = 500;
const memory = new Map<string, unknown>();

/** Formatters are slow to create. The memory is emptied when it is full. */
function memoize<T>(key: string, create: () => T): T {
	const known = memory.get(key) as T | undefined;
	if (known !== undefined) return known;
	if (memory.size >= formattersMax) memory.clear();
	const created = create();
	memory.set(key, created);
	return created;
}

/** Shows a number with the separators of the language, at most three decimals. */
export const formatNumber = (value: number, { locale }: Formats): string =>
	memoize(`number ${locale}`, () => new Intl.NumberFormat(tagOf(locale))).format(value);

export const dateStyles = ["date", "time", "datetime"] as const;
export type DateStyle = (typeof dateStyles)[number];

const parts = {
	date: { dateStyle: "long" },
	time: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
} as const;

/**
 * Shows a moment in the tenant's zone. A day has no time. A comma is before the time, because "saa 12:30" is
 * half past six in Swahili.
 */
export function formatMoment(moment: Moment, formats: Formats, style: DateStyle): string {
	const timeZone = moment.isDay ? "UTC" : formats.timeZone;
	const show = (part: "date" | "time") =>
		memoize(
			`${part} ${formats.locale} ${timeZone}`,
			() => new Intl.DateTimeFormat(tagOf(formats.locale), { ...parts[part], timeZone }),
		).format(moment.at);
	if (moment.isDay || style === "date") return show("date");
	return style === "time" ? show("time") : `${show("date")}, ${show("time")}`;
}

/**
 * Shows an amount in whole units of a currency (ISO 4217). Another text as currency is put before the number.
 */
export function formatMoney(amount: number, currency: string, formats: Formats): string {
	if (!/^[A-Z]{3}$/.test(currency)) return `${currency} ${formatNumber(amount, formats)}`.trim();
	const create = () =>
		new Intl.NumberFormat(tagOf(formats.locale), {
			style: "currency",
			currency,
			currencyDisplay: "code",
			trailingZeroDisplay: "stripIfInteger",
		});
	// The code is followed by a no-break space, which GSM 03.38 does not have.
	return memoize(`money ${formats.locale} ${currency}`, create).format(amount).replaceAll("\u00a0", " ");
}

/** Whether the language uses the form for one with this number. */
export const isSingular = (value: number, { locale }: Formats): boolean =>
	memoize(`plural ${locale}`, () => new Intl.PluralRules(tagOf(locale))).select(value) === "one";

const day = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Reads a date or a date-time of RFC 3339; undefined for every other text, also for 30 February. */
export function readMoment(text: string): Moment | undefined {
	const isDay = day.test(text);
	if (!isDay && !instant.test(text)) return undefined;
	const at = new Date(text.toUpperCase());
	const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
	if (Number.isNaN(at.getTime()) || Number.isNaN(date.getTime())) return undefined;
	return date.toISOString().startsWith(text.slice(0, 10)) ? { at, isDay } : undefined;
}
