/**
 * Whether this is the name of a time zone that the runtime knows. Offsets such as +03:00 are not time zones:
 * they have no daylight saving time.
 */
export function isTimeZone(name: string): boolean {
	if (!/^[A-Za-z]/.test(name)) return false;
	try {
		formatOf(name);
		return true;
	} catch (error) {
		if (error instanceof RangeError) return false;
		throw error;
	}
}

/** The offset of a time zone from UTC at an instant, both in milliseconds. */
export function offsetAt(timeZone: string, at: number): number {
	const parts = formatOf(timeZone).formatToParts(at);
	const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
	const local = Date.UTC(
		part("year"),
		part("month") - 1,
		part("day"),
		part("hour"),
		part("minute"),
		part("second"),
	);
	return local - Math.floor(at / 1_000) * 1_000;
}

/** One formatter per time zone. Names differ only by case, and there are a few hundred. */
const formats = new Map<string, Intl.DateTimeFormat>();
const formatsMax = 1_000;

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
	if (formats.size >= formatsMax) formats.clear();
	formats.set(timeZone, format);
	return format;
}
