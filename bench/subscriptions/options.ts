import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = { a: "snapshot", b: "consumption", c: "gates" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** The duration of each measured run. */
	seconds: number;
	/** How long each target is driven before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Requests in flight. */
	connections: number;
	/** Database connections of the service, and of the program that calls the function without HTTP. */
	databaseConnections: number;
	/** Tenants with a subscription. */
	tenants: number;
	/** The number of tenants over which consumption is spread. */
	spread: number;
	/** Changes of a feature in each run. */
	changes: number;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
	isPinned: boolean;
	/** Prints the slowest statements and writes processor profiles of the servers. */
	isProfiled: boolean;
};

const full = {
	runs: 5,
	seconds: 10,
	"warm-up": 4,
	connections: 16,
	"database-connections": 10,
	tenants: 100_000,
	spread: 20_000,
	changes: 300,
};
/** With `--look`: small and short, to see that it runs. Its figures are not reliable. */
const look: typeof full = {
	...full,
	runs: 1,
	seconds: 2,
	"warm-up": 1,
	tenants: 2_000,
	spread: 500,
	changes: 20,
};

/** Parses the arguments. Throws an Error that names an invalid one. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only, isWhole } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
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
		isWhole,
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
	};
}
