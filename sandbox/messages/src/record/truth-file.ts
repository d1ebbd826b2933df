import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Arrival } from "./arrival.ts";

/**
 * The append-only file of the ground truth, one JSON object a line. A line is in the file before its request
 * is answered, so a kill of this or another process loses nothing that was answered.
 */
export type TruthFile = {
	/** What the file contains after its last `cleared` line. */
	arrivals: readonly Arrival[];
	append(line: TruthLine): void;
	close(): void;
};

type TruthLine = { arrival: Arrival } | { answered: number } | { cleared: string };

const fileBytesMax = 512 * 1024 * 1024;

/** Opens or creates the file. A line that a kill cut off is ignored. Throws if the file exceeds 512 MB. */
export function openTruthFile(path: string): TruthFile {
	const file = openSync(path, "a+");
	if (fstatSync(file).size > fileBytesMax) throw new Error(`${path} is larger than 512 MB. Move it away.`);
	const lines = readFileSync(path, "utf8").split("\n");
	if (lines.pop() !== "") writeSync(file, "\n"); // It was cut off; the next line must not continue it.
	const arrivals = new Map<number, Arrival>();
	for (const line of lines) apply(arrivals, readLine(line));
	return {
		arrivals: [...arrivals.values()],
		append: (line) => void writeSync(file, `${JSON.stringify(line)}\n`),
		close: () => {
			fsyncSync(file);
			closeSync(file);
		},
	};
}

function apply(arrivals: Map<number, Arrival>, line: TruthLine | undefined): void {
	if (line === undefined) return;
	if ("cleared" in line) arrivals.clear();
	else if ("arrival" in line) arrivals.set(line.arrival.id, line.arrival);
	else {
		const arrival = arrivals.get(line.answered);
		if (arrival !== undefined) arrivals.set(arrival.id, { ...arrival, answered: true });
	}
}

/** A line that was cut off by a kill is not JSON. */
function readLine(line: string): TruthLine | undefined {
	try {
		return JSON.parse(line);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
