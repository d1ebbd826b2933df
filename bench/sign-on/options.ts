import { parseArgs } from "node:util";

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

/** The small installation: what the large one is compared with, and what all other parts run on. */
export const small = { people: 1_000, tenants: 10 };

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
	const names = Object.keys(defaults) as (keyof typeof defaults)[];
	const numbers = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
	const { values } = parseArgs({
		args: [...words],
		options: {
			...numbers,
			only: { type: "string" },
			"no-pin": { type: "boolean" },
			profile: { type: "boolean" },
		},
	});
	const given = values as Record<string, string | boolean | undefined>;
	const number = (name: keyof typeof defaults): number => {
		const value = Number(given[name] ?? defaults[name]);
		if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1 up.`);
		return value;
	};
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		warmUpSeconds: number("warm-up"),
		connections: number("connections"),
		databaseConnections: number("database-connections"),
		sessions: number("sessions"),
		people: number("people"),
		tenants: number("tenants"),
		only: readParts(given["only"]),
		isPinned: given["no-pin"] !== true,
		isProfiled: given["profile"] === true,
	};
}

function readParts(given: string | boolean | undefined): readonly Part[] {
	if (typeof given !== "string") return Object.values(parts);
	return given.split(",").map((word) => {
		const [, part] = Object.entries(parts).find(([letter, name]) => word === letter || word === name) ?? [];
		if (part === undefined) throw new Error(`--only takes ${Object.values(parts).join(", ")}, not ${word}.`);
		return part;
	});
}
