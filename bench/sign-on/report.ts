import { median, type Spread } from "../figures.ts";

/** What a part of the bench has to say: tables and remarks as Markdown, and its figures against what is to be reached. */
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
export function verdictTable(sections: readonly Section[]): string {
	return table(
		["what", "measured", "to reach", ""],
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

export type Page = {
	command: string;
	date: Date;
	machine: string;
	versions: string;
	durability: string;
	placing: string;
	load: number;
	isQuiet: boolean;
	sections: readonly Section[];
};

/** The page under docs/generated. */
export function renderPage(page: Page): string {
	const missed = page.sections.flatMap(({ verdicts }) => verdicts).filter(({ isReached }) => !isReached);
	const notReached =
		missed.length === 0
			? "Everything that was to be reached was reached."
			: missed
					.map(({ what, figure, target, ifNot }) => `- **${what}**: ${figure} instead of ${target}. ${ifNot}`)
					.join("\n");
	const noise = page.isQuiet
		? ""
		: `\n**The machine was not quiet** (load ${page.load.toFixed(2)} before the start): these figures are not final.\n`;
	return `<!-- Written by \`npm run bench -- sign-on\`; never edited. It holds measurements and does not follow from the code. -->

# Bench: sign-on

What is compared and how to read it: [bench/README.md](../../bench/README.md).
${noise}
- command: \`${page.command}\`
- date: ${page.date.toISOString().slice(0, 16).replace("T", " ")} UTC
- machine: ${page.machine}
- versions: ${page.versions}
- database, the same for all: ${page.durability}
- cores: ${page.placing}

## What was to be reached

${verdictTable(page.sections)}

## What was not reached, and what limits it

${notReached}

${page.sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n")}
`;
}
