import type { Section } from "../report.ts";
import { table } from "../report.ts";
import { describe, runStorm, type Storm, sumOf } from "./storm.ts";

/** Of the bills of the largest storm: the sizes that are run one after the other. */
const parts = [16, 4, 1];

type Moment = Storm["passed"][number];
type Options = { bills: number; isWhole: boolean; isProfiled: boolean };

/**
 * Runs storms of three sizes, or only the largest one, and states what each found and how the costs grow.
 * Returns the differences of all of them.
 */
export async function measureStorms(
	{ bills, isWhole, isProfiled }: Options,
	add: (section: Section) => void,
): Promise<readonly string[]> {
	const storms: Storm[] = [];
	for (const part of isWhole ? parts : [1]) {
		const storm = await runStorm({ bills: Math.ceil(bills / part), isProfiled });
		storms.push(storm);
		const title = `${storm.bills} bills: ${sumOf(storm.found.events)} events`;
		add({ title, text: describe(storm), verdicts: [] });
	}
	add({ title: "How time and memory grow", text: describeSizes(storms), verdicts: storms.map(verdictOf) });
	return storms.flatMap(({ differences }) => differences);
}

/** Of the whole storm, with starts of processes, and of what came after its first wave. */
function describeSizes(storms: readonly Storm[]): string {
	const rows = storms.map(({ bills, seconds, passed }) => {
		const [first, last] = [passed[0], passed.at(-1)];
		if (first === undefined || last === undefined) throw new Error("a storm reports how far it is");
		const [events, later] = [sumOf(last.events), sumOf(last.events) - sumOf(first.events)];
		const each = (secondsOf: (one: Moment) => number) => [
			((secondsOf(last) / events) * 1_000).toFixed(1),
			later > 0 ? (((secondsOf(last) - secondsOf(first)) / later) * 1_000).toFixed(1) : "",
		];
		return [
			...[String(bills), String(events), String(seconds), (events / seconds).toFixed(1)],
			...each((one) => one.service.processorSeconds),
			...each((one) => one.databaseSeconds),
			...each((one) => one.sandboxes.processorSeconds),
			...each((one) => one.driverSeconds),
			...[String(last.service.memoryMaxMb), String(last.sandboxes.memoryMaxMb), String(last.databaseMb)],
		];
	});
	const ofProcessor = ["treasury", "PostgreSQL", "sandboxes", "driver"].flatMap((name) => [
		`${name} ms an event`,
		"after the first wave",
	]);
	const ofMemory = ["treasury most MB", "sandboxes most MB", "database MB"];
	return table(["bills", "events", "seconds", "events a second", ...ofProcessor, ...ofMemory], rows);
}

const verdictOf = ({ bills, differences: { length } }: Storm): Section["verdicts"][number] => ({
	what: `Lost, doubled, unequal, unexplained or broken: ${bills} bills and what followed`,
	...{ figure: String(length), target: "0", isReached: length === 0, ifNot: "" },
});
