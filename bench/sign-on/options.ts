import { readWords } from "../words.ts";

/** The parts of the bench, by the letter each may be asked for with. */
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
	/** How long each measured run lasts. */
	seconds: number;
	/** How long each server is driven before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Requests under way at the same time, each by a person and on a connection of their own. */
	connections: number;
	/** Connections of each server to the database. */
	databaseConnections: number;
	only: readonly Part[];
	/** How many sessions are used before the memory of the process is read. */
	sessions: number;
	/** The large installation. */
	people: number;
	tenants: number;
	/** Whether servers and driver get a core each. */
	isPinned: boolean;
	/** Looks into where the time goes, which itself takes time: the figures of such a run are not kept. */
	isProfiled: boolean;
};

/** The small installation: the large one is compared with it, and the memory of the process is measured on it. */
export const small = { people: 1_000, tenants: 10 };

/**
 * The installation of the comparisons with other programs. It has so many people that the code flows of a whole
 * comparison leave each below the limit of sessions; `requireSessionsBelowLimit` checks this.
 */
export const compared = { people: 2_000, tenants: 20 };

const defaults = {
	runs: 5,
	seconds: 10,
	"warm-up": 4,
	connections: 16,
	"database-connections": 10,
	sessions: 100_000,
	people: 1_000_000,
	tenants: 100_000,
};

/** Reads the words of the command line. Throws an Error that names the one it cannot use. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only } = readWords(words, {
		usual: () => defaults,
		flags: ["no-pin", "profile"],
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
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
	};
}
