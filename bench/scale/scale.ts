import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMachine, loadNow, quietLoad, versionOf } from "../machine.ts";
import { describeDurability } from "../sign-on/installation.store.ts";
import { type Section, verdictTable } from "../sign-on/report.ts";
import { describeCostModel, writeCostModel } from "./cost-model.ts";
import { openLarge } from "./large.ts";
import { type Options, parts, readOptions } from "./options.ts";
import { type Recorded, readRecorded, writeRecorded } from "./recorded.ts";
import { compareReplicas } from "./replicas.ts";
import { measureRequests } from "./requests.ts";
import { openStage, type Stage } from "./stage.ts";
import { measureStorage } from "./storage.ts";

const page = join(import.meta.dirname, "../../docs/generated/bench-scale.md");

/**
 * Measures several replicas, and the cost of each kind of request. After a run of all parts at full size it writes
 * its page and its record, otherwise it only prints. With `--cost-model` it measures nothing and writes the cost model
 * of docs/pages/operating.md from the record.
 */
export async function scale(words: readonly string[]): Promise<void> {
	if (words.includes("--cost-model")) return writeCostModel(describeCostModel(readRecorded()));
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
		const { costs, bytesARow } = found;
		const isAll = options.only.length === Object.keys(parts).length && !words.includes("--look");
		if (!isAll || costs === undefined || bytesARow === undefined) return;
		const command = ["npm run bench -- scale", ...words].join(" ");
		const machine = describeMachine();
		const installation = { people: options.people, tenants: options.tenants };
		const recorded = { date: `${date} UTC`, machine, command, installation, bytesARow, costs };
		writeRecorded(recorded);
		writeFileSync(page, render({ command, date, machine, durability, load, options, sections }));
		console.log("Wrote docs/generated/bench-scale.md and bench/scale/recorded.json");
	} finally {
		await stage.close();
	}
}

type Found = { sections: Section[] } & Partial<Pick<Recorded, "costs" | "bytesARow">>;

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

What is compared and how to read it: [bench/README.md](../../bench/README.md). The cost model for 10 million people: [operating.md](../pages/operating.md#sizing).
${noise}
- command: \`${command}\`
- date: ${date} UTC
- machine: ${machine}
- versions: Node ${process.versions.node}, PostgreSQL 18, fastify ${versionOf("fastify")}, pg ${versionOf("pg")}
- database: ${durability}
- load: ${options.connections} requests in flight (8 sign-ins by password), ${options.databaseConnections} connections of each process to the database, runs of ${options.seconds} s, ${options.runs} of each

## What was to be reached

${verdictTable(sections)}

## What was not reached

${notReached.length === 0 ? "Everything that was to be reached was reached." : notReached.join("\n")}

${sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n")}
`;
}
