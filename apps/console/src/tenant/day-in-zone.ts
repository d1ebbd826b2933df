const dayMilliseconds = 86_400_000;

/** The moment a day such as "2026-03-02" begins in a zone, such as "Africa/Nairobi"; undefined for a text that is no day. */
export function startOfDay(day: string, timeZone: string): Date | undefined {
	const wall = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(wall)) return undefined;
	const guess = wall - offsetAt(wall, timeZone);
	// Where the clock was put forward or back in between, the offset of the guess is the right one.
	return new Date(wall - offsetAt(guess, timeZone));
}

/** The moment a day is over in a zone: the beginning of the next. */
export function endOfDay(day: string, timeZone: string): Date | undefined {
	const wall = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(wall)) return undefined;
	return startOfDay(new Date(wall + dayMilliseconds).toISOString().slice(0, 10), timeZone);
}

/** The day it is in a zone at a moment, for example "2026-03-02". */
export function dayAt(at: Date, timeZone: string): string {
	return new Date(at.getTime() + offsetAt(at.getTime(), timeZone)).toISOString().slice(0, 10);
}

/** How far a zone is ahead of UTC at a moment, in milliseconds. */
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
