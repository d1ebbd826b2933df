import { numberForm, readCursor } from "@lango/chassis";

/** The place of a posting in the order of posting; `at` in microseconds since 1970. */
export type Place = { at: bigint; journalId: bigint; line: number };

/** The time of a place, in milliseconds. */
export const timeOf = ({ at }: Place): Date => new Date(Number(at / 1_000n));

/** Returns the cursor's values of a posting, after which the next page begins. */
export const toCursor = ({ at, journalId, line }: Place): [string, string] => [
	String(at),
	`${journalId}-${line}`,
];

/** Reads the cursor of a list of postings. Throws `invalid_input` if it is not one. */
export function readPlace(cursor: string | undefined): Place | undefined {
	const read = readCursor(cursor, [numberForm, /^\d{1,18}-\d{1,6}$/]);
	if (read === undefined) return undefined;
	const [journalId = "0", line = "0"] = read[1].split("-");
	return { at: BigInt(read[0]), journalId: BigInt(journalId), line: Number(line) };
}
