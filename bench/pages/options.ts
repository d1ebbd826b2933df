import { parseArguments } from "../arguments.ts";

/** The parts of the bench by their letter. */
export const parts = { a: "overview", b: "sign-in" } as const;
export type Part = (typeof parts)[keyof typeof parts];

export type Options = {
	runs: number;
	only: readonly Part[];
	/** Whether the page may be written: all parts at full size. */
	isWhole: boolean;
};

/** With `--look`: one run, to see that it runs. */
const [full, look] = [{ runs: 5 }, { runs: 1 }];

/** Parses the arguments. Throws an Error that names an invalid one. */
export function readOptions(words: readonly string[]): Options {
	const { number, only, isWhole } = parseArguments(words, {
		defaults: (given) => (given["look"] === true ? look : full),
		flags: ["look"],
		parts,
	});
	return { runs: number("runs"), only, isWhole };
}
