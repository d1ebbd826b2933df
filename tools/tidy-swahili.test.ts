/**
 * The Swahili texts keep to the glossary of packages/interface/src/texts: one term for each notion, in both
 * apps, in packages/interface and packages/contracts, in the messages of the notification service, and in the
 * statement as PDF.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { labels, notions } from "../packages/interface/src/texts/glossary.ts";

const root = resolve(import.meta.dirname, "..");
const folders = [
	...["apps", "packages/contracts", "packages/interface"],
	...["services/notifications/src", "services/treasury/src"],
];
const sources = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...folders], {
	cwd: root,
	encoding: "utf8",
})
	.split("\n")
	.filter((path) => /\.ts$/.test(path) && !path.includes(".test.") && existsSync(join(root, path)))
	.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** The Swahili parts of each file: from the table named `swahili` to the end, and before it what `sw` is. */
const swahili = sources.flatMap(({ path, text }) => {
	const start = text.search(/\bconst swahili\b/);
	const before = start === -1 ? text : text.slice(0, start);
	const inside = before.match(/^(\t*)sw: (?:.*[{(]\n[\s\S]*?^\1[})]|.*$)/gm) ?? [];
	const parts = start === -1 ? inside : [...inside, text.slice(start)];
	return parts.length === 0 ? [] : [{ path, text: parts.join("\n") }];
});

test("the Swahili texts of both apps are found", () => {
	expect(swahili.length).toBeGreaterThan(25);
	expect(swahili.some(({ path }) => path.startsWith("apps/accounts/"))).toBe(true);
	expect(swahili.some(({ path }) => path.startsWith("services/notifications/"))).toBe(true);
	expect(swahili.find(({ path }) => path.endsWith("catalogue/in-words.ts"))?.text).toMatch(
		/kujirudia[\s\S]*wasafirishaji/,
	);
});

test.each(notions)('in Swahili, "%s" is always called "%s"', (_notion, _term, refused) => {
	const found = swahili.flatMap(({ path, text }) =>
		text
			.split("\n")
			.filter((line) => refused.test(line))
			.map((line) => `${path}: ${line.trim()}`),
	);
	expect(found).toEqual([]);
});

type Tables = { tables?: { en: object; sw: object }; wordTables?: { en: object; sw: object } };

/** The tables of texts of both apps and of packages/interface. */
const modules: Array<readonly [path: string, Tables]> = await Promise.all(
	sources
		.filter(({ path, text }) => /\/(?:texts|words)\.ts$/.test(path) && /export const \w*ables\b/.test(text))
		.map(async ({ path }) => [path, (await import(join(root, path))) as Tables] as const),
);

function leavesOf(table: object, path = ""): Array<[path: string, text: string]> {
	return Object.entries(table).flatMap(([key, value]): Array<[string, string]> => {
		if (typeof value === "string") return [[`${path}.${key}`, value]];
		return typeof value === "object" && value !== null ? leavesOf(value, `${path}.${key}`) : [];
	});
}

test("a label of the glossary has the same Swahili text wherever it is alone", () => {
	const found = modules.flatMap(([file, { tables, wordTables }]) => {
		const both = tables ?? wordTables;
		const inSwahili = new Map(leavesOf(both?.sw ?? {}));
		return leavesOf(both?.en ?? {})
			.filter(([path, text]) => Object.hasOwn(labels, text) && inSwahili.get(path) !== labels[text])
			.map(([path, text]) => `${file} ${path}: ${text}, ${inSwahili.get(path)}`);
	});
	expect(modules.length).toBeGreaterThan(25);
	expect(found).toEqual([]);
});
