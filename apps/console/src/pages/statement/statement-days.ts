const dayMs = 86_400_000;
const defaultDays = 30;
/** The longest statement, in days. */
const daysMax = 400;

/** The days of the address; "" for the default. */
export type DaysEntered = { from: string; to: string };

/** Completes days as the treasury does: the last day is today, the first one 29 days earlier. */
export function completeDays({ from, to }: DaysEntered, today: string): DaysEntered {
	const last = to === "" ? today : to;
	const first = from === "" ? shiftDay(last, 1 - defaultDays) : from;
	return { from: first, to: last };
}

/** Finds why the treasury would refuse the days: they are reversed, or too many. */
export function faultOfDays({ from, to }: DaysEntered): "reversed" | "tooLong" | undefined {
	if (from > to) return "reversed";
	return (Date.parse(to) - Date.parse(from)) / dayMs + 1 > daysMax ? "tooLong" : undefined;
}

function shiftDay(day: string, days: number): string {
	const at = Date.parse(day);
	return Number.isNaN(at) ? "" : new Date(at + days * dayMs).toISOString().slice(0, 10);
}
