import { readWords } from "../words.ts";

/** The parts of the bench, by the letter each may be asked for with. */
export const parts = { a: "relay", b: "latency", c: "outbox" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** How long each measured run lasts. */
	seconds: number;
	/** How many events a run of the relay publishes. */
	events: number;
	/** How many entities the events are about. */
	subjects: number;
	/** How often each transaction of the part outbox is measured without an event, with a plain row and with an event. */
	rounds: number;
	only: readonly Part[];
	/** Looks into where the time of the part outbox goes, which itself takes time: the figures of such a run are not kept. */
	isProfiled: boolean;
};

const defaults = { runs: 5, seconds: 10, events: 20_000, subjects: 1_000, rounds: 40 };

/** Reads the words of the command line. Throws an Error that names the one it cannot use. */
export function readOptions(words: readonly string[]): Options {
	const { number, only, isSet } = readWords(words, { usual: () => defaults, flags: ["profile"], parts });
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		events: number("events"),
		subjects: number("subjects"),
		rounds: number("rounds"),
		only,
		isProfiled: isSet("profile"),
	};
}
