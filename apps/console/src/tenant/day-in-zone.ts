import { offsetAt } from "@lango/contracts/time-zone";

const dayMilliseconds = 86_400_000;

/**
 * The start of a day such as "2026-03-02" in a time zone such as "Africa/Nairobi"; undefined if the text is
 * not a day.
 */
export function startOfDay(day: string, timeZone: string): Date | undefined {
	const wall = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(wall)) return undefined;
	const guess = wall - offsetAt(timeZone, wall);
	// If daylight saving time changes in between, the offset at the guess is the correct one.
	return new Date(wall - offsetAt(timeZone, guess));
}

/** The end of a day in a time zone: the start of the next day. */
export function endOfDay(day: string, timeZone: string): Date | undefined {
	const wall = Date.parse(`${day}T00:00:00Z`);
	if (Number.isNaN(wall)) return undefined;
	return startOfDay(new Date(wall + dayMilliseconds).toISOString().slice(0, 10), timeZone);
}

/** The day at an instant in a time zone, for example "2026-03-02". */
export function dayAt(at: Date, timeZone: string): string {
	return new Date(at.getTime() + offsetAt(timeZone, at.getTime())).toISOString().slice(0, 10);
}
