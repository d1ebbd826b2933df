import { parseArgs } from "node:util";

export type Arguments<Name extends string, Flag extends string, Part extends string> = {
	/** A whole number of at least 1: the given one or the default. */
	number: (name: Name) => number;
	isSet: (flag: Flag) => boolean;
	/** The parts of `--only`; all parts without it. */
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size, without profiles. */
	isWhole: boolean;
};

/**
 * Parses the arguments of a bench: numbers with defaults, flags, and parts by name or letter. Throws an Error
 * that names an invalid argument.
 */
export function parseArguments<Name extends string, Flag extends string, Part extends string>(
	words: readonly string[],
	{ defaults, flags, parts }: Known<Name, Flag, Part>,
): Arguments<Name, Flag, Part> {
	const { values } = parseArgs({
		args: [...words],
		options: {
			...Object.fromEntries(Object.keys(defaults({})).map((name) => [name, { type: "string" as const }])),
			...Object.fromEntries(flags.map((flag) => [flag, { type: "boolean" as const }])),
			only: { type: "string" },
		},
	});
	const given = values as Record<string, string | boolean | undefined>;
	const numbers = defaults(given);
	const only = readParts(given["only"], parts);
	return {
		number(name) {
			const value = Number(given[name] ?? numbers[name]);
			if (!Number.isInteger(value) || value < 1)
				throw new Error(`--${name} must be a whole number of at least 1.`);
			return value;
		},
		isSet: (flag) => given[flag] === true,
		only,
		isWhole: only.length === Object.keys(parts).length && given["look"] !== true && given["profile"] !== true,
	};
}

type Known<Name extends string, Flag extends string, Part extends string> = {
	/** The defaults of the numbers, which may depend on the flags. */
	defaults: (given: Readonly<Record<string, unknown>>) => Readonly<Record<Name, number>>;
	flags: readonly Flag[];
	/** The parts by their letter. */
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
		if (part === undefined) throw new Error(`--only must name parts of ${all.join(", ")}, not ${word}.`);
		return part;
	});
}
