const dayMilliseconds = 86_400_000;

/** The number of days from `now` until `at`, rounded up; negative if it is past. */
export function daysUntil(at: string | Date, now: Date): number {
	const days = (new Date(at).getTime() - now.getTime()) / dayMilliseconds;
	return days >= 0 ? Math.ceil(days) : Math.floor(days);
}
