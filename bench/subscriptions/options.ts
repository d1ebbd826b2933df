import { readWords } from "../words.ts";

/** The parts of the bench, by the letter each may be asked for with. */
export const parts = { a: "snapshot", b: "consumption", c: "gates" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** How long each measured run lasts. */
	seconds: number;
	/** How long each target is driven before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Requests under way at the same time. */
	connections: number;
	/** Connections to the database of the service, and of the program that calls the function without HTTP. */
	databaseConnections: number;
	/** Tenants with a subscription. */
	tenants: number;
	/** Over how many of them consumption is spread. */
	spread: number;
	/** Changes of entitlements in each run. */
	changes: number;
	only: readonly Part[];
	isPinned: boolean;
	/** Prints the statements that took longest and keeps profiles of the servers' processors. */
	isProfiled: boolean;
};

const defaults = {
	runs: 5,
	seconds: 10,
	"warm-up": 4,
	connections: 16,
	"database-connections": 10,
	tenants: 100_000,
	spread: 20_000,
	changes: 300,
};
/** With `--look`: everything small and short; for seeing that it runs, not for figures. */
const look: typeof defaults = {
	...defaults,
	runs: 1,
	seconds: 2,
	"warm-up": 1,
	tenants: 2_000,
	spread: 500,
	changes: 20,
};

/** Reads the words of the command line. Throws an Error that names the one it cannot use. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only } = readWords(words, {
		usual: (given) => (given["look"] === true ? look : defaults),
		flags: ["no-pin", "look", "profile"],
		parts,
	});
	const tenants = number("tenants");
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		warmUpSeconds: number("warm-up"),
		connections: number("connections"),
		databaseConnections: number("database-connections"),
		tenants,
		spread: Math.min(number("spread"), tenants),
		changes: number("changes"),
		only,
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
	};
}
