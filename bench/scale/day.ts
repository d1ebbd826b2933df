import type { Flow } from "../sign-on/flows.ts";

/**
 * The assumed behaviour of people. Replace it by your own figures and run `npm run bench -- scale
 * --cost-model`. Nothing here is measured.
 */
export const day = {
	people: 10_000_000,
	/** The share of all people who come on a day. */
	comingShare: 0.2,
	/** How often a person who comes sends each flow on that day, and the curve of the day. */
	flows: [
		{
			flow: "sign-in",
			aDay: 1 / 6,
			curve: "coming",
			why: "each of all people types a password once in 30 days",
		},
		{
			flow: "code flow",
			aDay: 1,
			curve: "coming",
			why: "one application is opened by a browser that is signed in",
		},
		{ flow: "refresh", aDay: 4, curve: "working", why: "an access token lives six hours, on two devices" },
		{ flow: "me", aDay: 4, curve: "working", why: "a page is loaded" },
		{ flow: "tenant", aDay: 1, curve: "coming", why: "the page of a tenant is opened by its name" },
	] satisfies readonly Habit[],
	/** The percentage of a day's requests in each hour, from midnight. */
	curves: {
		coming: [0.5, 0.5, 0.5, 0.5, 1, 2, 5, 8, 10, 9, 7, 6, 6, 6.5, 6, 5, 5, 5, 5, 4.5, 3.5, 2, 1, 0.5],
		working: [1, 0.5, 0.5, 0.5, 1, 2, 3, 5, 7, 8, 8, 8, 7, 7, 7, 7, 6, 6, 5, 4, 3, 2, 1, 0.5],
	},
	/** The peak at the beginning of an hour has so many times its mean requests per second. */
	peakTimes: 2,
	/**
	 * After how many days rows are removed (docs/pages/operating.md); of sessions if people do not sign out.
	 */
	daysKept: { browser_sessions: 21, sessions: 37, authorization_codes: 1, outbox: 7 },
} as const;

export type Curve = "coming" | "working";
export type Habit = { flow: Flow; aDay: number; curve: Curve; why: string };

export const hours = 24;

/** The mean requests per second of a flow in an hour (0 to 23). */
export function ratePerSecond({ aDay, curve }: Habit, hour: number, people: number): number {
	const share = (day.curves[curve][hour] ?? 0) / 100;
	return (people * day.comingShare * aDay * share) / 3_600;
}
