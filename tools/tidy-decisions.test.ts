/**
 * The decisions: each page has the agreed form, the index in docs/decisions/README.md is complete, and every
 * citation in the tree names a page that exists.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "docs/decisions");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const pages = readdirSync(folder)
	.filter((name) => name !== "README.md")
	.map((name) => ({ name, number: name.slice(0, 4), text: readFileSync(join(folder, name), "utf8") }));
const index = read("docs/decisions/README.md");
const merged = [...index.matchAll(/^\| (\d{4}) \| \[(\d{4})\]/gm)].map(([, number = "", into = ""]) => ({
	number,
	into,
}));
const numbers = new Set(pages.map(({ number }) => number));

/**
 * Decisions named in prose, also across lines of a comment: "decision 0001", "decisions [0001](…), 0002 and
 * 0003".
 */
const prose = /\bdecisions?\s+(?:(?:\*|\/\/|--)\s)?((?:\[?\d{4}\b(?:\]\([^)\s]*\))?(?:,\s+|\s+and\s+)?)+)/gi;
/** A decision named by its path without the rest of its file name. */
const byPath = /docs\/decisions\/(\d{4})\b(?!-)/g;
/** A link to the file of a page. */
const link = /(?<=[("\s`])((?:[\w.-]+\/)*\d{4}-[a-z0-9-]+\.md)\b/g;

const citedIn = (text: string): string[] => [
	...[...text.matchAll(prose)].flatMap(
		([, list = ""]) => list.replaceAll(/\([^)]*\)/g, "").match(/\d{4}/g) ?? [],
	),
	...[...text.matchAll(byPath)].map(([, number = ""]) => number),
];

test("a decision has its number in its title, and the sections context, decision, consequences", () => {
	const wrong = pages.filter(({ name, number, text }) => {
		const title = /^# (\d{4}): \S[^\n]*\n\n## /.exec(text)?.[1];
		const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, section]) => section);
		const named = /^\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.test(name);
		return !named || title !== number || sections.join() !== "Context,Decision,Consequences";
	});
	expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("two decisions never have the same number", () => {
	expect(numbers.size).toBe(pages.length);
});

test("the index lists each decision once, with its title and a status", () => {
	const listed = [
		...index.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \| (?:accepted|replaced by \d{4})[^|]*\|$/gm),
	];
	const titles = pages.map(({ name, text }) => `${/^# (.*)$/m.exec(text)?.[1]} ${name}`);
	expect(listed.map(([, title, name]) => `${title} ${name}`).sort()).toEqual(titles.sort());
});

test("a merged number has no page, and names a page that exists", () => {
	expect(merged.length).toBeGreaterThan(0);
	expect(merged.filter(({ number, into }) => numbers.has(number) || !numbers.has(into))).toEqual([]);
});

test("every decision that is cited exists", () => {
	const wrong = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
		cwd: root,
		encoding: "utf8",
	})
		.split("\n")
		.filter((path) => /\.(md|tsx?|js|sql|ya?ml|html|css)$/.test(path) && existsSync(join(root, path)))
		.filter((path) => path !== "docs/decisions/README.md" && path !== "tools/tidy-decisions.test.ts")
		.flatMap((path) => {
			// A migration is never edited after its release: it may cite a number that was merged later.
			const known = path.includes("/migrations/")
				? new Set([...numbers, ...merged.map(({ number }) => number)])
				: numbers;
			const text = read(path);
			const links = path.endsWith(".md") ? [...text.matchAll(link)].map(([file]) => file) : [];
			const decisions = links.filter((file) => join(dirname(path), file).startsWith("docs/decisions/"));
			return [
				...citedIn(text).filter((number) => !known.has(number)),
				...decisions.filter((file) => !existsSync(join(root, dirname(path), file))),
			].map((cited) => `${path}: ${cited}`);
		});
	expect(wrong, "docs/decisions/README.md lists the pages, and where merged numbers are now").toEqual([]);
});

test.each([
	["decision 0001", ["0001"]],
	["([decision 0012](../decisions/0012-a.md))", ["0012"]],
	["Decisions [0038](docs/decisions/0038-a.md),\n[0039](b.md) and 0040", ["0038", "0039", "0040"]],
	["decision\n * 0041", ["0041"]],
	["`docs/decisions/0017`", ["0017"]],
	["the decision of 2026", []],
])("citations are found in %s", (text, found) => {
	expect(citedIn(text)).toEqual(found);
});
