import type { UsageWindow } from "@lango/contracts";

/** The start and end of a subscription's trial and paid period. */
export type Boundaries = {
	trial: { startsAt: Date; endsAt: Date } | null;
	period: { startsAt: Date; endsAt: Date } | null;
};

/** The window in which a moment is counted. Two moments are counted together if their `key` is equal. */
export type CountingWindow = { key: string; startsAt: Date | null; endsAt: Date | null };

type Calendar = Boundaries & { timeZone: string };

/**
 * The window in which a moment is counted. The key of a day is its date, so that a tenant that moves to
 * another time zone gets no day twice. The key of a period is its start, so that a period paid late stays the
 * same.
 */
export function windowAt(kind: UsageWindow, at: Date, calendar: Calendar): CountingWindow {
	if (kind === "standing") return { key: "standing", startsAt: null, endsAt: null };
	if (kind === "day") return dayAt(at, calendar.timeZone);
	const period = periodAt(at, calendar);
	return { key: `period:${period.startsAt.toISOString()}`, ...period };
}

/** The subscription's period at a moment; after its end, an open period until the next one begins. */
export function periodAt(at: Date, { trial, period }: Boundaries): { startsAt: Date; endsAt: Date | null } {
	const known = [trial, period].filter((one) => one !== null);
	const current = known.find((one) => one.startsAt <= at && at < one.endsAt);
	if (current !== undefined) return current;
	const ends = known.map(({ endsAt }) => endsAt).filter((end) => end <= at);
	const last = ends.toSorted((a, b) => b.getTime() - a.getTime())[0];
	if (last !== undefined) return { startsAt: last, endsAt: null };
	// Before the first known period, as for a late report: the time up to its start.
	const first = known.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())[0];
	return { startsAt: new Date(0), endsAt: first?.startsAt ?? null };
}

const formats = new Map<string, Intl.DateTimeFormat>();
const days = new Map<string, Day>();
const memoMax = 1_000;

/** The tenant's date at a moment, such as `2026-03-01`. */
export function dateAt(at: Date, timeZone: string): string {
	let format = formats.get(timeZone);
	if (format === undefined) {
		format = new Intl.DateTimeFormat("en-CA", {
			timeZone,
			year: "numeric",
			month: "2-digit",
			day: "2-digit",
		});
		memoize(formats, timeZone, format);
	}
	return format.format(at);
}

type Day = { key: string; startsAt: Date; endsAt: Date };

/** The last day used per time zone: most look-ups ask for the same day again. */
const latest = new Map<string, Day>();

function dayAt(at: Date, timeZone: string): CountingWindow {
	const last = latest.get(timeZone);
	return last !== undefined && last.startsAt <= at && at < last.endsAt
		? last
		: memoize(latest, timeZone, findDay(at, timeZone));
}

function findDay(at: Date, timeZone: string): Day {
	const date = dateAt(at, timeZone);
	const name = `${timeZone} ${date}`;
	const known = days.get(name);
	if (known !== undefined) return known;
	const startsAt = startOf(date, timeZone);
	const endsAt = startOf(dayAfter(date), timeZone);
	return memoize(days, name, { key: `day:${date}`, startsAt, endsAt });
}

const hourMs = 3_600_000;
const dayAfter = (date: string) => new Date(Date.parse(date) + 24 * hourMs).toISOString().slice(0, 10);

/**
 * The first moment of a date, by bisection: where clocks go forward at midnight, a day begins at one o'clock.
 */
function startOf(date: string, timeZone: string): Date {
	let before = Date.parse(date) - 16 * hourMs;
	let within = Date.parse(date) + 16 * hourMs;
	while (within - before > 1) {
		const middle = Math.floor((before + within) / 2);
		if (dateAt(new Date(middle), timeZone) >= date) within = middle;
		else before = middle;
	}
	return new Date(within);
}

function memoize<T>(cache: Map<string, T>, name: string, value: T): T {
	if (cache.size >= memoMax) cache.clear();
	cache.set(name, value);
	return value;
}
