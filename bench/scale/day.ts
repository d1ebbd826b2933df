import type { Flow } from "../sign-on/flows.ts";

/**
 * What is assumed of people and of the machines, in one place: put in your own figures and run `npm run bench -- scale --simulate`.
 * Nothing here is measured.
 */
export const day = {
	/** Where chance begins. */
	seed: 20_261_121,
	people: 10_000_000,
	/** How many of all people come on a day. */
	comingShare: 0.2,
	/** How often each of those who come sends it on that day, and by which curve. */
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
		{ flow: "me", aDay: 4, curve: "working", why: "a page is loaded anew" },
		{ flow: "tenant", aDay: 1, curve: "coming", why: "the page of a tenant is opened by its name" },
	] satisfies readonly Habit[],
	/** Per cent of a day's requests in each hour, from midnight: people come in the morning, and again after noon. */
	curves: {
		coming: [0.5, 0.5, 0.5, 0.5, 1, 2, 5, 8, 10, 9, 7, 6, 6, 6.5, 6, 5, 5, 5, 5, 4.5, 3.5, 2, 1, 0.5],
		working: [1, 0.5, 0.5, 0.5, 1, 2, 3, 5, 7, 8, 8, 8, 7, 7, 7, 7, 6, 6, 5, 4, 3, 2, 1, 0.5],
	},
	/** The first minutes of an hour have so many times the requests of an even hour, its other minutes the fewer. */
	rush: { minutes: 10, times: 2 },
	/** An operating system gives a core to another thread after so long, where there is one. */
	sliceMs: 3,
	/** The least that counts as enough cores: 99 of 100 requests (but sign-ins by password) wait no longer. */
	waitMsMax: 20,
	/** And so it is for sign-ins by password. */
	signInWaitMsMax: 1_000,
	/** How many days rows stay that go by themselves (docs/pages/operating.md); sessions, where nobody signs out. */
	daysKept: { browser_sessions: 21, sessions: 37, authorization_codes: 1, outbox: 7 },
	/** The hour after a leak, in which everybody who comes types a password. */
	passwordsAnew: { minutes: 5 },
} as const;

export type Curve = "coming" | "working";
export type Habit = { flow: Flow; aDay: number; curve: Curve; why: string };

export const hours = 24;

/** How many of a flow a second come on the average of an hour (0 to 23). */
export function ratePerSecond({ aDay, curve }: Habit, hour: number, people: number): number {
	const share = (day.curves[curve][hour] ?? 0) / 100;
	return (people * day.comingShare * aDay * share) / 3_600;
}

/** How many times the average of its hour a moment has, by the minute of the hour (0 up to 60). */
export function rushAt(minute: number): number {
	const { minutes, times } = day.rush;
	return minute < minutes ? times : (60 - minutes * times) / (60 - minutes);
}
