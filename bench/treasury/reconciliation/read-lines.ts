import type { FloorLines } from "./reconciliation.store.ts";

/** Splits the lines of a statement for the floor: no quotes, no checks, no names of columns. */
export function readLines(text: string): FloorLines {
	const lines: FloorLines = { numbers: [], at: [], amounts: [] };
	for (const line of text.split("\n").slice(1)) {
		const [at = "", amount = "", number = ""] = line.split(",");
		if (number === "") continue;
		lines.at.push(at);
		lines.amounts.push(BigInt(amount.replace(".", "")));
		lines.numbers.push(number);
	}
	return lines;
}
