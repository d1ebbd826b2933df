/** A line of a comparison: in both texts, only in the older or only in the newer one. */
export type DiffLine = { kind: "same" | "removed" | "added"; text: string };

/** Above so many pairs of lines, what differs is shown as a whole: the comparison would block the page. */
const pairsMax = 4_000_000;

/** Compares two texts by lines: the fewest lines are removed and added. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
	const [left, right] = [linesOf(before), linesOf(after)];
	const start = countSame(left, right);
	const end = countSame(left.slice(start).toReversed(), right.slice(start).toReversed());
	const middle = diffMiddle(left.slice(start, left.length - end), right.slice(start, right.length - end));
	return [
		...left.slice(0, start).map(toLine("same")),
		...middle,
		...left.slice(left.length - end).map(toLine("same")),
	];
}

const linesOf = (text: string) => (text === "" ? [] : text.split("\n"));
const toLine =
	(kind: DiffLine["kind"]) =>
	(text: string): DiffLine => ({ kind, text });

function countSame(left: readonly string[], right: readonly string[]): number {
	const differs = left.findIndex((line, at) => line !== right[at]);
	return differs === -1 ? Math.min(left.length, right.length) : differs;
}

/** The longest common subsequence, by a table of the lengths of the rests. */
function diffMiddle(left: readonly string[], right: readonly string[]): DiffLine[] {
	if (left.length * right.length > pairsMax)
		return [...left.map(toLine("removed")), ...right.map(toLine("added"))];
	const width = right.length + 1;
	const lengths = new Uint32Array((left.length + 1) * width);
	const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
	for (let row = left.length - 1; row >= 0; row--)
		for (let column = right.length - 1; column >= 0; column--)
			lengths[row * width + column] =
				left[row] === right[column]
					? at(row + 1, column + 1) + 1
					: Math.max(at(row + 1, column), at(row, column + 1));
	return walk({ left, right, at });
}

type Table = {
	left: readonly string[];
	right: readonly string[];
	at: (row: number, column: number) => number;
};

function walk({ left, right, at }: Table): DiffLine[] {
	const lines: DiffLine[] = [];
	let [row, column] = [0, 0];
	while (row < left.length || column < right.length) {
		const [removed, added] = [left[row], right[column]];
		if (removed !== undefined && removed === added) {
			lines.push({ kind: "same", text: removed });
			[row, column] = [row + 1, column + 1];
		} else if (removed !== undefined && (added === undefined || at(row + 1, column) >= at(row, column + 1))) {
			lines.push({ kind: "removed", text: removed });
			row += 1;
		} else {
			lines.push({ kind: "added", text: added ?? "" });
			column += 1;
		}
	}
	return lines;
}
