import type { Arrival } from "./arrival.ts";

/** A line of the file of the ground truth. */
export type TruthLine = { arrival: Arrival } | { answered: number } | { cleared: string };

/** What the lines say after the last one that is `cleared`. */
export function readArrivals(lines: readonly TruthLine[]): Arrival[] {
	const arrivals = new Map<number, Arrival>();
	for (const line of lines) apply(arrivals, line);
	return [...arrivals.values()];
}

function apply(arrivals: Map<number, Arrival>, line: TruthLine): void {
	if ("cleared" in line) arrivals.clear();
	else if ("arrival" in line) arrivals.set(line.arrival.id, line.arrival);
	else {
		const arrival = arrivals.get(line.answered);
		if (arrival !== undefined) arrivals.set(arrival.id, { ...arrival, answered: true });
	}
}
