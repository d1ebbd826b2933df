import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMachine, loadNow, quietLoad, versionOf } from "../machine.ts";
import { type Section, verdictTable } from "../sign-on/report.ts";
import { measureCaches, measureDecision, measureFirstSight } from "./alone.ts";
import { type Options, type Part, parts, readOptions } from "./options.ts";
import { compareObserved, comparePipeline } from "./requests.ts";
import { openStage, type Stage } from "./stage.ts";

const page = join(import.meta.dirname, "../../docs/generated/bench-chassis.md");

const work: ReadonlyArray<readonly [Part, (stage: Stage) => Promise<Section>]> = [
	["pipeline", comparePipeline],
	["observed", compareObserved],
	["first-sight", measureFirstSight],
	["decision", measureDecision],
	["caches", measureCaches],
];

/** The bench of the chassis. Writes its page when every part was run at full size; else it only prints. */
export async function chassis(words: readonly string[]): Promise<void> {
	const options = readOptions(words);
	const load = loadNow();
	if (load >= quietLoad)
		console.log(`The machine is not quiet (load ${load.toFixed(2)}): the figures will not be final.`);
	process.once("SIGINT", () => process.exit(130));
	const date = new Date();
	const stage = await openStage(options);
	try {
		const sections: Section[] = [];
		for (const [part, measure] of work) {
			if (!options.only.includes(part)) continue;
			const section = await measure(stage);
			console.log(`\n## ${section.title}\n\n${section.text}`);
			sections.push(section);
		}
		console.log(`\n${verdictTable(sections)}\n`);
		if (!isWhole(options)) return;
		const command = ["npm run bench -- chassis", ...words].join(" ");
		writeFileSync(page, render({ command, date, load, stage, sections }));
		console.log("Wrote docs/generated/bench-chassis.md");
	} finally {
		await stage.close();
	}
}

const isWhole = ({ only, isLook, isProfiled }: Options) =>
	only.length === Object.keys(parts).length && !isLook && !isProfiled;

type Page = { command: string; date: Date; load: number; stage: Stage; sections: readonly Section[] };

function render({ command, date, load, stage, sections }: Page): string {
	const { cores } = stage;
	const placing = cores.isSplit
		? `the measured server on core ${cores.server}, one at a time; PostgreSQL, the driver and the issuer on ${cores.rest}`
		: "not pinned";
	const noise =
		load < quietLoad
			? ""
			: `\n**The machine was not quiet** (load ${load.toFixed(2)} before the start): these figures are not final.\n`;
	const packages = ["fastify", "@fastify/jwt", "get-jwks", "express", "express-oauth2-jwt-bearer", "pino"];
	const versions = packages.map((name) => `${name} ${versionOf(name)}`);
	const missed = sections.flatMap(({ verdicts }) => verdicts).filter(({ isReached }) => !isReached);
	const limits = missed.map(
		({ what, figure, target, ifNot }) => `- **${what}**: ${figure} instead of ${target}. ${ifNot}`,
	);
	return `<!-- Written by \`npm run bench -- chassis\`; never edited. It holds measurements and does not follow from the code. -->

# Bench: chassis

What is compared and how to read it: [bench/README.md](../../bench/README.md).
${noise}
- command: \`${command}\`
- date: ${date.toISOString().slice(0, 16).replace("T", " ")} UTC
- machine: ${describeMachine()}
- versions: ${[`Node ${process.versions.node}`, ...versions].join(", ")}
- cores: ${placing}

## What was to be reached

${verdictTable(sections)}

## What was not reached, and what limits it

${limits.length === 0 ? "Everything that was to be reached was reached." : limits.join("\n")}

${sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n")}
`;
}
