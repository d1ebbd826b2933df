import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, type Spread } from "./figures.ts";
import { describeMachine, loadNow, quietLoad, versionOf } from "./machine.ts";

/** A section of the report: tables and text as Markdown, and the figures beside their targets. */
export type Section = { title: string; text: string; verdicts: readonly Verdict[] };
export type Verdict = { what: string; figure: string; target: string; isReached: boolean; ifNot: string };

/** A Markdown table. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

export const times = ({ middle, least, most }: Spread) =>
	`${middle.toFixed(2)} × (${least.toFixed(2)}–${most.toFixed(2)})`;
export const percent = ({ middle, least, most }: Spread) =>
	`${Math.round(middle * 100)} % (${Math.round(least * 100)}–${Math.round(most * 100)})`;
export const rate = ({ middle, least, most }: Spread) =>
	`${digits(middle)} (${digits(least)}–${digits(most)})`;
export const ms = (figures: readonly number[]) => `${median(figures).toFixed(1)}`;

const digits = (figure: number) => (figure >= 100 ? figure.toFixed(0) : figure.toFixed(1));

/** All verdicts in one table. */
function verdictTable(sections: readonly Section[]): string {
	return table(
		["what", "measured", "target", ""],
		sections
			.flatMap(({ verdicts }) => verdicts)
			.map(({ what, figure, target, isReached }) => [
				what,
				figure,
				target,
				isReached ? "reached" : "**not reached**",
			]),
	);
}

/** What a page states above its figures. */
export type Facts = {
	/** Missing: the name of the bench. */
	title?: string;
	/** Packages whose versions matter. */
	packages: readonly string[];
	/** Further lines, such as the placing of processes on cores. */
	lines: Readonly<Record<string, string>>;
};

/** A run of a bench: its command and start, and where its sections are collected and printed. */
export type Run = { command: string; date: string; add(section: Section): void };

/**
 * Runs a bench and prints its sections and verdicts. Writes docs/generated/bench-TITLE.md if `measure`
 * returns facts, which it does after a whole run.
 */
export async function reportBench(
	name: string,
	words: readonly string[],
	measure: (run: Run) => Promise<Facts | undefined>,
): Promise<void> {
	const load = loadNow();
	if (load >= quietLoad)
		console.log(`The machine is not quiet (load ${load.toFixed(2)}): the figures will not be final.`);
	process.once("SIGINT", () => process.exit(130));
	const sections: Section[] = [];
	const command = [`npm run bench -- ${name}`, ...words].join(" ");
	const date = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
	const facts = await measure({
		command,
		date,
		add(section) {
			console.log(`\n## ${section.title}\n\n${section.text}`);
			sections.push(section);
		},
	});
	console.log(`\n${verdictTable(sections)}\n`);
	if (facts === undefined) return;
	const { title = name } = facts;
	const page = `docs/generated/bench-${title}.md`;
	writeFileSync(
		join(import.meta.dirname, "..", page),
		renderPage({ ...facts, title, command, date, load, sections }),
	);
	console.log(`Wrote ${page}`);
}

type Page = Omit<Facts, "title"> & {
	title: string;
	command: string;
	date: string;
	load: number;
	sections: readonly Section[];
};

function renderPage({ title, command, date, load, sections, packages, lines }: Page): string {
	const missed = sections.flatMap(({ verdicts }) => verdicts).filter(({ isReached }) => !isReached);
	const notReached = missed.map(({ what, figure, target, ifNot }) =>
		`- **${what}**: ${figure} instead of ${target}. ${ifNot}`.trimEnd(),
	);
	const noise =
		load < quietLoad
			? ""
			: `\n**The machine was not quiet** (load ${load.toFixed(2)} before the start): these figures are not final.\n`;
	const versions = packages.map((one) => `${one} ${versionOf(one)}`);
	const head = {
		command: `\`${command}\``,
		date,
		machine: describeMachine(),
		versions: [`Node ${process.versions.node}`, "PostgreSQL 18", ...versions].join(", "),
		...lines,
	};
	return `<!-- Written by \`${command}\`; never edited. It contains measurements and is not computed from the code. -->

# Bench: ${title}

What is compared and how to read it: [bench/README.md](../../bench/README.md).
${noise}
${Object.entries(head)
	.map(([what, text]) => `- ${what}: ${text}`)
	.join("\n")}

## Targets

${verdictTable(sections)}

## Targets that were not reached, and what limits them

${notReached.length === 0 ? "All targets were reached." : notReached.join("\n")}

${sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n")}
`;
}
