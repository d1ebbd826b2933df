import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Facts, type Run, type Section, table } from "../report.ts";
import type { Options } from "./options.ts";
import { describe, runStorm, type Storm, sumOf } from "./storm.ts";

/** Of storms that were run here, one file each. */
const folder = join(import.meta.dirname, "../../.lango/bench/storms");

/**
 * Runs a storm, states what it found, and keeps that for the page; or writes the page of all that were run.
 * Returns the differences, and what the page states above its figures.
 */
export async function measureStorms(
	options: Options,
	{ add }: Run,
): Promise<{ differences: readonly string[]; facts: Facts | undefined }> {
	const storms = options.isPage ? readStorms() : [await keepStorm(options)];
	for (const storm of storms)
		add({
			title: `${sumOf(storm.found.events)} events`,
			text: describe(storm),
			verdicts: [verdictOf(storm)],
		});
	const growth = [describeSizes(storms), ...describeMillion(storms)].join("\n\n");
	add({ title: "How time and memory grow", text: growth, verdicts: [] });
	const differences = storms.flatMap((storm) => storm.differences);
	return { differences, facts: options.isPage ? factsOf(storms) : undefined };
}

async function keepStorm({ bills, minutes, isProfiled, isWhole }: Options): Promise<Storm> {
	const storm = await runStorm({ bills, minutes, isProfiled });
	if (!isWhole) return storm;
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, `${storm.date}.json`), JSON.stringify(storm));
	return storm;
}

/** The smallest first. */
function readStorms(): Storm[] {
	const storms = readdirSync(folder).map(
		(name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Storm,
	);
	return storms.sort((one, other) => sumOf(one.found.events) - sumOf(other.found.events));
}

function factsOf(storms: readonly Storm[]): Facts {
	const loads = storms.flatMap(({ passed }) => passed.map(({ load }) => load));
	const load = `${Math.min(...loads).toFixed(0)} to ${Math.max(...loads).toFixed(0)} during the storms`;
	return { title: "treasury-storm", packages: ["fastify", "pg"], lines: { "load of the machine": load } };
}

type Moment = Storm["passed"][number];

/** Of the whole storm, with starts of processes, and of what came after its first wave. */
function describeSizes(storms: readonly Storm[]): string {
	const rows = storms.map(({ seconds, passed }) => {
		const [first, last] = [passed[0], passed.at(-1)];
		if (first === undefined || last === undefined) throw new Error("a storm reports how far it is");
		const [events, later] = [sumOf(last.events), sumOf(last.events) - sumOf(first.events)];
		const each = (secondsOf: (one: Moment) => number) => [
			((secondsOf(last) / events) * 1_000).toFixed(1),
			later > 0 ? (((secondsOf(last) - secondsOf(first)) / later) * 1_000).toFixed(1) : "",
		];
		return [
			...[String(last.paid), String(events), String(seconds), (events / seconds).toFixed(1)],
			...each(allSecondsOf),
			...each((one) => one.service.processorSeconds),
			...each((one) => one.databaseSeconds),
			...each((one) => one.sandboxes.processorSeconds),
			...each((one) => one.driverSeconds),
			...[String(last.service.memoryMaxMb), String(last.sandboxes.memoryMaxMb), String(last.databaseMb)],
		];
	});
	const ofProcessor = ["all", "treasury", "PostgreSQL", "sandboxes", "driver"].flatMap((name) => [
		`${name} ms an event`,
		"after the first wave",
	]);
	const ofMemory = ["treasury most MB", "sandboxes most MB", "database MB"];
	return table(["bills", "events", "seconds", "events a second", ...ofProcessor, ...ofMemory], rows);
}

const million = 1_000_000;

/** What a storm of a million events, which was not run, would take by the largest one that was. */
function describeMillion(storms: readonly Storm[]): string[] {
	const { passed } = storms.at(-1) ?? { passed: [] };
	const [first, last] = [passed[0], passed.at(-1)];
	if (first === undefined || last === undefined || sumOf(last.events) >= million) return [];
	const events = sumOf(last.events) - sumOf(first.events);
	const ms = ((allSecondsOf(last) - allSecondsOf(first)) / events) * 1_000;
	const [hours, bills] = [(million * ms) / 3.6e6, Math.round((million / sumOf(last.events)) * last.paid)];
	return [
		`**A storm of ${million} events was not run.** It would have about ${bills} bills. After the first wave of the largest storm here ` +
			`an event took ${ms.toFixed(1)} ms of processor time of all processes; if that stays so, they are ${hours.toFixed(1)} hours of one core.`,
	];
}

const allSecondsOf = ({ service, databaseSeconds, sandboxes, driverSeconds }: Moment): number =>
	service.processorSeconds + databaseSeconds + sandboxes.processorSeconds + driverSeconds;

const verdictOf = ({ found, differences: { length } }: Storm): Section["verdicts"][number] => ({
	what: `Lost, doubled, unequal, unexplained or broken: ${sumOf(found.events)} events`,
	...{ figure: String(length), target: "0", isReached: length === 0, ifNot: "" },
});
