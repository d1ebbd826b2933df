import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * An append-only file of JSON objects, one a line. A line is in the file when `append` returns, so a kill of
 * the process loses nothing that was answered after it.
 */
export type AppendFile<Line> = {
	/** What the file contained when it was opened. */
	lines: readonly Line[];
	append(line: Line): void;
	close(): void;
};

const fileBytesMax = 512 * 1024 * 1024;

/**
 * Opens or creates the file, and its folder. A line that a kill cut off is ignored. Throws if the file
 * exceeds 512 MB.
 */
export function openAppendFile<Line extends object>(path: string): AppendFile<Line> {
	mkdirSync(dirname(path), { recursive: true });
	const file = openSync(path, "a+", 0o600);
	if (fstatSync(file).size > fileBytesMax) throw new Error(`${path} is larger than 512 MB. Move it away.`);
	const lines = readFileSync(path, "utf8").split("\n");
	if (lines.pop() !== "") writeSync(file, "\n"); // It was cut off; the next line must not continue it.
	return {
		lines: lines.map((line) => readLine<Line>(line)).filter((line) => line !== undefined),
		append: (line) => void writeSync(file, `${JSON.stringify(line)}\n`),
		close: () => {
			fsyncSync(file);
			closeSync(file);
		},
	};
}

/** A line that was cut off by a kill is not JSON. */
function readLine<Line>(line: string): Line | undefined {
	try {
		return JSON.parse(line);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
