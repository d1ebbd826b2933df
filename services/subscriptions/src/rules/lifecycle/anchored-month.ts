import { offsetAt } from "@lango/contracts/time-zone";

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

const dayMs = 86_400_000;

/** `local` is the local wall-clock time, written as if it were UTC. */
function instantOf(timeZone: string, local: number): number {
	const before = offsetAt(timeZone, local - dayMs);
	const after = offsetAt(timeZone, local + dayMs);
	for (const offset of [before, after])
		if (offsetAt(timeZone, local - offset) === offset) return local - offset;
	return local - before;
}
