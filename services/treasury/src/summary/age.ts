/** How long something has been unknown or parked: under an hour, a day, a week; older. */
export const ages = ["hour", "day", "week", "older"] as const;

export type Age = (typeof ages)[number];

const hourMs = 3_600_000;
const longest: Readonly<Record<Age, number>> = {
	hour: hourMs,
	day: 24 * hourMs,
	week: 7 * 24 * hourMs,
	older: Number.POSITIVE_INFINITY,
};

/** The times in which something of an age began: at or after `from`, and before `to`. */
export function timesOf(age: Age, now: Date): { from: Date | undefined; to: Date | undefined } {
	const youngest = ages[ages.indexOf(age) - 1];
	const ago = (ms: number) => (Number.isFinite(ms) ? new Date(now.getTime() - ms) : undefined);
	return { from: ago(longest[age]), to: youngest && ago(longest[youngest]) };
}
