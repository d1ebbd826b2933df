import { readWords } from "../words.ts";

/** The parts of the bench, by the letter each may be asked for with. */
export const parts = { a: "replicas", b: "requests", c: "storage" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** How long each measured run lasts. */
	seconds: number;
	/** How long each target is driven before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Requests under way at the same time. */
	connections: number;
	/** Connections of each server to the database. */
	databaseConnections: number;
	/** The installation of which requests are measured, and its rows. */
	people: number;
	tenants: number;
	only: readonly Part[];
	isPinned: boolean;
	isProfiled: boolean;
};

const defaults = {
	runs: 5,
	seconds: 6,
	"warm-up": 3,
	connections: 16,
	"database-connections": 10,
	people: 1_000_000,
	tenants: 100_000,
};
/** With `--look`: everything small and short; for seeing that it runs, not for figures. */
const look: typeof defaults = {
	...defaults,
	runs: 1,
	seconds: 2,
	"warm-up": 1,
	people: 20_000,
	tenants: 2_000,
};

/** Reads the words of the command line. Throws an Error that names the one it cannot use. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only } = readWords(words, {
		usual: (given) => (given["look"] === true ? look : defaults),
		flags: ["no-pin", "look"],
		parts,
	});
	const people = number("people");
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		warmUpSeconds: number("warm-up"),
		connections: number("connections"),
		databaseConnections: number("database-connections"),
		people,
		tenants: Math.min(number("tenants"), people),
		only,
		isPinned: !isSet("no-pin"),
		isProfiled: false,
	};
}
