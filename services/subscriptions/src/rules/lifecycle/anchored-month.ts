/** The default of the sign-on service, used while the time zone of a tenant is not known. */
export const defaultTimeZone = "Africa/Nairobi";

/** The start of a series of months, and the time zone they are counted in. */
export type Anchor = { anchorAt: Date; timeZone: string };

/**
 * The instant `months` calendar months after the anchor: the same local time on the anchor's day, or on the
 * last day of a shorter month (31 Jan → 28 Feb → 31 Mar). Always computed from the anchor, so that months do
 * not drift. A local time skipped by a clock change is moved later; one that occurs twice resolves to the
 * first.
 */
export function monthsAfter({ anchorAt, timeZone }: Anchor, months: number): Date {
	const local = new Date(anchorAt.getTime() + offsetAt(timeZone, anchorAt.getTime()));
	const first = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + months, 1);
	const { year, month } = { year: new Date(first).getUTCFullYear(), month: new Date(first).getUTCMonth() };
	const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
	const timeOfDay =
		local.getTime() - Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate());
	const localTime = Date.UTC(year, month, Math.min(local.getUTCDate(), lastDay)) + timeOfDay;
	return new Date(instantOf(timeZone, localTime));
}

/** Whether the runtime knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
	try {
		return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
	} catch {
		return false;
	}
}

const dayMs = 86_400_000;

/** `local` is the local wall-clock time, written as if it were UTC. */
function instantOf(timeZone: string, local: number): number {
	const before = offsetAt(timeZone, local - dayMs);
	const after = offsetAt(timeZone, local + dayMs);
	for (const offset of [before, after])
		if (offsetAt(timeZone, local - offset) === offset) return local - offset;
	return local - before;
}

/** The offset of local time from UTC, in milliseconds. */
function offsetAt(timeZone: string, at: number): number {
	const parts = formatOf(timeZone).formatToParts(at);
	const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
	const shown = Date.UTC(
		part("year"),
		part("month") - 1,
		part("day"),
		part("hour"),
		part("minute"),
		part("second"),
	);
	return shown - Math.floor(at / 1_000) * 1_000;
}

/** One formatter per time zone; there are a few hundred zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
	const known = formats.get(timeZone);
	if (known !== undefined) return known;
	const format = new Intl.DateTimeFormat("en", {
		timeZone,
		hourCycle: "h23",
		year: "numeric",
		month: "numeric",
		day: "numeric",
		hour: "numeric",
		minute: "numeric",
		second: "numeric",
	});
	formats.set(timeZone, format);
	return format;
}
