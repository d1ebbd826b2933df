import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = {
	...{ a: "ledger", b: "webhooks", c: "posted", d: "collection", e: "calls", f: "reconciliation" },
} as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** The duration of each measured run. */
	seconds: number;
	/** How long each target runs before its first run, which is not counted. */
	warmUpSeconds: number;
	/** Processes that post journals, and the connections of each. */
	processes: number;
	connections: number;
	tenants: number;
	/** Database connections of the service and of the floor of webhooks. */
	databaseConnections: number;
	/** Webhooks a second in the part that measures until each is posted. */
	perSecond: number;
	/** Lines that are reconciled, and how many of them a statement has. */
	lines: number;
	linesAStatement: number;
	/** Runs a storm instead of the parts, of so many bills. */
	isStorm: boolean;
	bills: number;
	/** After so many minutes no other wave of a storm begins. */
	minutes: number;
	/** Writes the page of the storms that were run. */
	isPage: boolean;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
	isPinned: boolean;
	/** Prints the slowest statements and writes processor profiles of the servers. */
	isProfiled: boolean;
};

const full = {
	...{ runs: 5, seconds: 8, "warm-up": 4, processes: 2, connections: 8, tenants: 10_000 },
	...{ "database-connections": 10, "per-second": 50, bills: 60_000, minutes: 600 },
	...{ lines: 1_000_000, "lines-a-statement": 100_000 },
};
/** With `--look`: small and short, to see that it runs. Its figures are not reliable. */
const look: typeof full = {
	...{ ...full, runs: 1, seconds: 2, "warm-up": 1, tenants: 100, bills: 300 },
	...{ lines: 4_000, "lines-a-statement": 400 },
};

/** Parses the arguments. Throws an Error that names an invalid one. */
export function readOptions(words: readonly string[]): Options {
	const { number, isSet, only, isWhole } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
		flags: ["no-pin", "look", "profile", "storm", "page"],
		parts,
	});
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		warmUpSeconds: number("warm-up"),
		processes: number("processes"),
		connections: number("connections"),
		tenants: number("tenants"),
		databaseConnections: number("database-connections"),
		perSecond: number("per-second"),
		lines: number("lines"),
		linesAStatement: number("lines-a-statement"),
		isStorm: isSet("storm"),
		bills: number("bills"),
		minutes: number("minutes"),
		isPage: isSet("page"),
		only,
		isWhole,
		isPinned: !isSet("no-pin"),
		isProfiled: isSet("profile"),
	};
}
