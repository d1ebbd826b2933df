import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = { a: "relay", b: "latency", c: "outbox" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** The duration of each measured run. */
	seconds: number;
	/** The number of events that a run of the relay publishes. */
	events: number;
	/** The number of entities that the events concern. */
	subjects: number;
	/**
	 * The rounds of the part `outbox`; each round measures a transaction without an event, with a plain row and
	 * with an event.
	 */
	rounds: number;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
	/**
	 * Writes profiles of the part `outbox`. This takes time, so the figures of such a run are not published.
	 */
	isProfiled: boolean;
};

const full = { runs: 5, seconds: 10, events: 20_000, subjects: 1_000, rounds: 40 };
/** With `--look`: small and short, to see that it runs. Its figures are not reliable. */
const look: typeof full = { runs: 1, seconds: 3, events: 2_000, subjects: 1_000, rounds: 4 };

/** Parses the arguments. Throws an Error that names an invalid one. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only, isWhole } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
		flags: ["look", "profile"],
		parts,
	});
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		events: number("events"),
		subjects: number("subjects"),
		rounds: number("rounds"),
		only,
		isWhole,
		isProfiled: isSet("profile"),
	};
}
