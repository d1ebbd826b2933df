import { readWords } from "../words.ts";
import { day } from "./day.ts";

/** The parts of the bench, by the letter each may be asked for with. */
export const parts = { a: "replicas", b: "requests", c: "service-times", d: "storage" } as const;
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
	/** Of how many requests of each kind the times are recorded one by one; of sign-ins by password a tenth of it. */
	samples: number;
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
	samples: 3_000,
};
/** With `--look`: everything small and short; for seeing that it runs, not for figures. */
const look: typeof defaults = {
	...defaults,
	runs: 1,
	seconds: 2,
	"warm-up": 1,
	people: 20_000,
	tenants: 2_000,
	samples: 200,
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
		samples: number("samples"),
		only,
		isPinned: !isSet("no-pin"),
		isProfiled: false,
	};
}

export type SimulationOptions = { people: number; seed: number; isUsual: boolean };

/** Reads the words beside `--simulate`: how many people there are, and where chance begins. */
export function readSimulationOptions(words: readonly string[]): SimulationOptions {
	const { number } = readWords(words, {
		usual: () => ({ people: day.people, seed: day.seed }),
		flags: ["simulate"],
		parts: {},
	});
	const isUsual = words.every((word) => word === "--simulate");
	return { people: number("people"), seed: number("seed"), isUsual };
}
