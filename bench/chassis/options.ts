import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = {
	a: "pipeline",
	b: "observed",
	c: "first-sight",
	d: "decision",
	e: "caches",
} as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	/** The number of rounds; in each round every server gets a slice of half a second. */
	rounds: number;
	/** The number of runs of the parts that measure one server. */
	runs: number;
	/** The warm-up of each server before its first run, which does not count. */
	warmUpSeconds: number;
	/** Requests in flight, each on its own connection. */
	connections: number;
	/** Unknown tokens of the part `first-sight`. */
	tokens: number;
	/** The people and tenants in the caches: the defaults of the settings. */
	people: number;
	tenants: number;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
	isPinned: boolean;
	/**
	 * Writes processor profiles of the servers. This takes time, so the figures of such a run are not
	 * published.
	 */
	isProfiled: boolean;
};

const full = {
	rounds: 40,
	runs: 5,
	"warm-up": 4,
	connections: 32,
	tokens: 5_000,
	people: 10_000,
	tenants: 2_000,
};
/** With `--look`: small and short, to see that it runs. Its figures are not reliable. */
const look: typeof full = { ...full, rounds: 4, runs: 2, "warm-up": 1, tokens: 500 };

/** Parses the arguments. Throws an Error that names an invalid one. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only, isWhole } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
		flags: ["no-pin", "look", "profile"],
		parts,
	});
	return {
		rounds: number("rounds"),
		runs: number("runs"),
		warmUpSeconds: number("warm-up"),
		connections: number("connections"),
		tokens: number("tokens"),
		people: number("people"),
		tenants: number("tenants"),
		only,
		isWhole,
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
	};
}
