import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = { a: "replicas", b: "requests", c: "storage" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** The duration of each measured run. */
	seconds: number;
	/** How long each target is driven before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Requests in flight. */
	connections: number;
	/** Connections of each server to the database. */
	databaseConnections: number;
	/** The size of the installation. */
	people: number;
	tenants: number;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
	isPinned: boolean;
	isProfiled: boolean;
};

const full = {
	runs: 5,
	seconds: 6,
	"warm-up": 3,
	connections: 16,
	"database-connections": 10,
	people: 1_000_000,
	tenants: 100_000,
};
/** With `--look`: small and short, to see that it runs. Its figures are not reliable. */
const look: typeof full = {
	...full,
	runs: 1,
	seconds: 2,
	"warm-up": 1,
	people: 20_000,
	tenants: 2_000,
};

/** Parses the arguments. Throws an Error that names an invalid one. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only, isWhole } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
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
		isWhole,
		isPinned: !isSet("no-pin"),
		isProfiled: false,
	};
}
