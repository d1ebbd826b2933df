import { parseArgs } from "node:util";

/** The parts of the bench, by the letter each may be asked for with. */
export const parts = { a: "relay", b: "latency", c: "outbox" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	/** How long each measured run lasts. */
	seconds: number;
	/** How many events a run of the relay publishes. */
	events: number;
	/** How many entities the events are about. */
	subjects: number;
	only: readonly Part[];
};

const defaults = { runs: 5, seconds: 10, events: 20_000, subjects: 1_000 };

/** Reads the words of the command line. Throws an Error that names the one it cannot use. */
export function readOptions(words: readonly string[]): Options {
	const names = Object.keys(defaults) as Array<keyof typeof defaults>;
	const { values } = parseArgs({
		args: [...words],
		options: {
			...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
			only: { type: "string" },
		},
	});
	const given = values as Record<string, string | undefined>;
	const number = (name: keyof typeof defaults): number => {
		const value = Number(given[name] ?? defaults[name]);
		if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1 up.`);
		return value;
	};
	return {
		runs: number("runs"),
		seconds: number("seconds"),
		events: number("events"),
		subjects: number("subjects"),
		only: readParts(given["only"]),
	};
}

function readParts(given: string | undefined): readonly Part[] {
	if (given === undefined) return Object.values(parts);
	return given.split(",").map((word) => {
		const [, part] = Object.entries(parts).find(([letter, name]) => word === letter || word === name) ?? [];
		if (part === undefined) throw new Error(`--only takes ${Object.values(parts).join(", ")}, not ${word}.`);
		return part;
	});
}
