import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = {
	a: "accept",
	b: "many",
	c: "idle",
	d: "backlog",
	e: "peer",
	f: "webhooks",
	g: "streams",
	h: "http",
} as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** The duration of each measured run. */
	seconds: number;
	/** How long each target is driven before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Requests in flight. */
	connections: number;
	databaseConnections: number;
	tenants: number;
	/** Deliveries that wait in the backlog. */
	backlog: number;
	/** Open streams of inboxes. */
	streams: number;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
	isPinned: boolean;
	/** Prints the slowest statements and writes processor profiles of the servers. */
	isProfiled: boolean;
};

const full = {
	runs: 5,
	seconds: 8,
	"warm-up": 4,
	connections: 8,
	"database-connections": 10,
	tenants: 1_000,
	backlog: 1_000_000,
	streams: 5_000,
};
/** With `--look`: small and short, to see that it runs. Its figures are not reliable. */
const look: typeof full = {
	...full,
	runs: 1,
	seconds: 3,
	"warm-up": 2,
	tenants: 20,
	backlog: 10_000,
	streams: 200,
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
		tenants: number("tenants"),
		backlog: number("backlog"),
		streams: number("streams"),
		only,
		isWhole,
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
	};
}
