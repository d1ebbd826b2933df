const dayMilliseconds = 86_400_000;

/**
 * The start of a day such as "2026-03-02" in a time zone such as "Africa/Nairobi"; undefined if the text is
 * not a day.
 */
export function startOfDay(day: string, timeZone: string): Date | undefined {
	const wall = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(wall)) return undefined;
	const guess = wall - offsetAt(wall, timeZone);
	// If daylight saving time changes in between, the offset at the guess is the correct one.
	return new Date(wall - offsetAt(guess, timeZone));
}

/** The end of a day in a time zone: the start of the next day. */
export function endOfDay(day: string, timeZone: string): Date | undefined {
	const wall = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(wall)) return undefined;
	return startOfDay(new Date(wall + dayMilliseconds).toISOString().slice(0, 10), timeZone);
}

/** The day at an instant in a time zone, for example "2026-03-02". */
export function dayAt(at: Date, timeZone: string): string {
	return new Date(at.getTime() + offsetAt(at.getTime(), timeZone)).toISOString().slice(0, 10);
}

/** The offset of a time zone from UTC at an instant, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
	const format = new Intl.DateTimeFormat("en-GB", {
		timeZone,
		hourCycle: "h23",
		year: "numeric",
		month: "numeric",
		day: "numeric",
		hour: "numeric",
		minute: "numeric",
		second: "numeric",
	});
	const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
	const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
	const wall = Date.UTC(
		part("year"),
		part("month") - 1,
		part("day"),
		part("hour"),
		part("minute"),
		part("second"),
	);
	return wall - Math.floor(at / 1_000) * 1_000;
}
