import { readWords } from "../words.ts";

/** The parts of the bench, by the letter each may be asked for with. */
export const parts = {
	a: "pipeline",
	b: "observed",
	c: "first-sight",
	d: "decision",
	e: "caches",
} as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	/** How often all servers are driven in turn, each for a slice of half a second. */
	rounds: number;
	/** Runs of the parts that drive one server. */
	runs: number;
	/** How long each server is driven before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Requests under way at the same time, each on a connection of its own. */
	connections: number;
	/** Tokens nobody has seen, for the part `first-sight`. */
	tokens: number;
	/** With how many people and tenants the caches are filled: the default of their settings. */
	people: number;
	tenants: number;
	only: readonly Part[];
	isPinned: boolean;
	/** Writes a profile of each server's processor time, which itself takes time: the figures of such a run are not kept. */
	isProfiled: boolean;
	isLook: boolean;
};

const defaults = {
	rounds: 40,
	runs: 5,
	"warm-up": 4,
	connections: 32,
	tokens: 5_000,
	people: 10_000,
	tenants: 2_000,
};
/** With `--look`: everything small and short; for seeing that it runs, not for figures. */
const look: typeof defaults = { ...defaults, rounds: 4, runs: 2, "warm-up": 1, tokens: 500 };

/** Reads the words of the command line. Throws an Error that names the one it cannot use. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only } = readWords(words, {
		usual: (given) => (given["look"] === true ? look : defaults),
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
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
		isLook: isSet("look"),
	};
}
