const dayMilliseconds = 86_400_000;

/** Whole days from one instant until another, begun ones counted; negative once it is past. */
export function daysUntil(at: string | Date, now: Date): number {
	const days = (new Date(at).getTime() - now.getTime()) / dayMilliseconds;
	return days >= 0 ? Math.ceil(days) : Math.floor(days);
}
