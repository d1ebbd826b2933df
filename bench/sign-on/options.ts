import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = {
	a: "code-flow",
	b: "refresh",
	c: "passwords",
	d: "memory",
	e: "people",
	f: "es256",
} as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** The duration of each measured run. */
	seconds: number;
	/** The warm-up of each server before its first run, which does not count. */
	warmUpSeconds: number;
	/** Requests in flight, each of another person on its own connection. */
	connections: number;
	/** Connections of each server to the database. */
	databaseConnections: number;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
	/** The number of sessions that are used before the memory of the process is read. */
	sessions: number;
	/** The large installation. */
	people: number;
	tenants: number;
	/** Whether processes are pinned to cores. */
	isPinned: boolean;
	/** Writes profiles. This takes time, so the figures of such a run are not published. */
	isProfiled: boolean;
};

/**
 * The small installation: the large one is compared with it, and the memory of the process is measured on it.
 */
export const small = { people: 1_000, tenants: 10 };

/**
 * The installation of the comparisons with other programs. It has so many people that the code flows of a
 * whole comparison leave each below the limit of sessions; `requireSessionsBelowLimit` checks this.
 */
export const compared = { people: 2_000, tenants: 20 };

const full = {
	runs: 5,
	seconds: 10,
	"warm-up": 4,
	connections: 16,
	"database-connections": 10,
	sessions: 100_000,
	people: 1_000_000,
	tenants: 100_000,
};
/** With `--look`: small and short, to see that it runs. Its figures are not reliable. */
const look: typeof full = {
	...full,
	runs: 1,
	seconds: 2,
	"warm-up": 1,
	sessions: 2_000,
	people: 20_000,
	tenants: 2_000,
};

/** Parses the arguments. Throws an Error that names an invalid one. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only, isWhole } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
		flags: ["no-pin", "look", "profile"],
		parts,
	});
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		warmUpSeconds: number("warm-up"),
		connections: number("connections"),
		databaseConnections: number("database-connections"),
		sessions: number("sessions"),
		people: number("people"),
		tenants: number("tenants"),
		only,
		isWhole,
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
	};
}
