import { parseArgs } from "node:util";

export type Words<Name extends string, Flag extends string, Part extends string> = {
	/** A whole number from 1 up: the one given, else the usual one. */
	number: (name: Name) => number;
	isSet: (flag: Flag) => boolean;
	/** The parts named by `--only`, all of them without it. */
	only: readonly Part[];
};

/**
 * Reads the words of a bench's command line: numbers with what is usual, flags, and which parts by name or letter. Throws
 * an Error that names the one it cannot use.
 */
export function readWords<Name extends string, Flag extends string, Part extends string>(
	words: readonly string[],
	{ usual, flags, parts }: Known<Name, Flag, Part>,
): Words<Name, Flag, Part> {
	const { values } = parseArgs({
		args: [...words],
		options: {
			...Object.fromEntries(Object.keys(usual({})).map((name) => [name, { type: "string" as const }])),
			...Object.fromEntries(flags.map((flag) => [flag, { type: "boolean" as const }])),
			only: { type: "string" },
		},
	});
	const given = values as Record<string, string | boolean | undefined>;
	const numbers = usual(given);
	return {
		number(name) {
			const value = Number(given[name] ?? numbers[name]);
			if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1 up.`);
			return value;
		},
		isSet: (flag) => given[flag] === true,
		only: readParts(given["only"], parts),
	};
}

type Known<Name extends string, Flag extends string, Part extends string> = {
	/** What holds for a number that is not given; it may depend on the flags. */
	usual: (given: Readonly<Record<string, unknown>>) => Readonly<Record<Name, number>>;
	flags: readonly Flag[];
	/** By the letter each may be asked for with. */
	parts: Readonly<Record<string, Part>>;
};

function readParts<Part extends string>(
	given: unknown,
	parts: Readonly<Record<string, Part>>,
): readonly Part[] {
	const all = Object.values(parts);
	if (typeof given !== "string") return all;
	return given.split(",").map((word) => {
		const [, part] = Object.entries(parts).find(([letter, name]) => word === letter || word === name) ?? [];
		if (part === undefined) throw new Error(`--only takes ${all.join(", ")}, not ${word}.`);
		return part;
	});
}
