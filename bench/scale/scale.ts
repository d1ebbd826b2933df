import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMachine, loadNow, quietLoad, versionOf } from "../machine.ts";
import { describeDurability } from "../sign-on/installation.store.ts";
import { type Section, verdictTable } from "../sign-on/report.ts";
import { openLarge } from "./large.ts";
import { type Options, parts, readOptions } from "./options.ts";
import { type Recorded, writeRecorded } from "./recorded.ts";
import { compareReplicas } from "./replicas.ts";
import { measureRequests } from "./requests.ts";
import { recordServiceTimes } from "./service-times.ts";
import { simulateScale } from "./simulation.ts";
import { openStage, type Stage } from "./stage.ts";
import { measureStorage } from "./storage.ts";

const page = join(import.meta.dirname, "../../docs/generated/bench-scale.md");

/**
 * The bench of many processes and of what a request costs. Writes its page and what it recorded when every part was run at full
 * size; else it only prints. With `--simulate` it measures nothing and simulates a day by what was recorded.
 */
export async function scale(words: readonly string[]): Promise<void> {
	if (words.includes("--simulate")) return simulateScale(words);
	const options = readOptions(words);
	const load = loadNow();
	if (load >= quietLoad)
		console.log(`The machine is not quiet (load ${load.toFixed(2)}): the figures will not be final.`);
	process.once("SIGINT", () => process.exit(130));
	const date = new Date().toISOString().slice(0, 16).replace("T", " ");
	const stage = await openStage(options);
	try {
		const durability = await describeDurability(stage.adminUrl);
		const { sections, ...found } = await runParts(stage);
		console.log(`\n${verdictTable(sections)}\n`);
		const { costs, serviceTimes, bytesARow } = found;
		const isAll = options.only.length === Object.keys(parts).length && !words.includes("--look");
		if (!isAll || costs === undefined || serviceTimes === undefined || bytesARow === undefined) return;
		const command = ["npm run bench -- scale", ...words].join(" ");
		const machine = describeMachine();
		const installation = { people: options.people, tenants: options.tenants };
		const recorded = { date: `${date} UTC`, machine, command, installation, bytesARow, costs, serviceTimes };
		writeRecorded(recorded);
		writeFileSync(page, render({ command, date, machine, durability, load, options, sections }));
		console.log("Wrote docs/generated/bench-scale.md and bench/scale/recorded.json");
	} finally {
		await stage.close();
	}
}

type Found = { sections: Section[] } & Partial<Pick<Recorded, "costs" | "serviceTimes" | "bytesARow">>;

async function runParts(stage: Stage): Promise<Found> {
	const { only } = stage.options;
	const found: Found = { sections: [] };
	const add = (section: Section) => {
		console.log(`\n## ${section.title}\n\n${section.text}`);
		found.sections.push(section);
	};
	if (only.includes("replicas")) add(await compareReplicas(stage));
	if (only.every((part) => part === "replicas")) return found;
	const large = await openLarge(stage);
	if (only.includes("requests")) {
		const { section, costs } = await measureRequests(stage, large);
		add(section);
		found.costs = costs;
	}
	if (only.includes("service-times")) {
		const { section, serviceTimes } = await recordServiceTimes(stage, large);
		add(section);
		found.serviceTimes = serviceTimes;
	}
	if (only.includes("storage")) {
		const { section, bytesARow } = await measureStorage(large);
		add(section);
		found.bytesARow = bytesARow;
	}
	return found;
}

type Page = {
	command: string;
	date: string;
	machine: string;
	durability: string;
	load: number;
	options: Options;
	sections: readonly Section[];
};

function render({ command, date, machine, durability, load, options, sections }: Page): string {
	const missed = sections.flatMap(({ verdicts }) => verdicts).filter(({ isReached }) => !isReached);
	const notReached = missed.map(
		({ what, figure, target, ifNot }) => `- **${what}**: ${figure} instead of ${target}. ${ifNot}`,
	);
	const noise =
		load < quietLoad
			? ""
			: `\n**The machine was not quiet** (load ${load.toFixed(2)} before the start): these figures are not final.\n`;
	return `<!-- Written by \`npm run bench -- scale\`; never edited. It holds measurements and does not follow from the code. -->

# Bench: scale

What is compared and how to read it: [bench/README.md](../../bench/README.md). What follows from it for 10 million people: [bench-scale-simulation.md](bench-scale-simulation.md), [operating.md](../pages/operating.md#sizing).
${noise}
- command: \`${command}\`
- date: ${date} UTC
- machine: ${machine}
- versions: Node ${process.versions.node}, PostgreSQL 18, fastify ${versionOf("fastify")}, pg ${versionOf("pg")}
- database: ${durability}
- load: ${options.connections} requests under way (8 sign-ins by password), ${options.databaseConnections} connections of each process to the database, runs of ${options.seconds} s, ${options.runs} of each

## What was to be reached

${verdictTable(sections)}

## What was not reached

${notReached.length === 0 ? "Everything that was to be reached was reached." : notReached.join("\n")}

${sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n")}
`;
}
