/** The English texts of the pages keep to the terms of the glossary of packages/interface/src/texts. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { englishTerms } from "../packages/interface/src/texts/glossary.ts";

const root = resolve(import.meta.dirname, "..");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "apps", "packages/interface"], {
	cwd: root,
	encoding: "utf8",
})
	.split("\n")
	.filter((path) => /\/(?:texts|words)\.ts$/.test(path) && existsSync(join(root, path)));

type Tables = Partial<Record<"tables" | "wordTables", { en: object }>>;

/** Texts with variables are functions; their source has the text. */
function leavesOf(table: object, path: string): Array<readonly [path: string, text: string]> {
	return Object.entries(table).flatMap(([key, value]) => {
		const below = `${path} ${key}`;
		if (typeof value === "string") return [[below, value] as const];
		if (typeof value === "function") return literalsOf(String(value)).map((text) => [below, text] as const);
		return typeof value === "object" && value !== null ? leavesOf(value, below) : [];
	});
}

const literalsOf = (source: string) =>
	[...source.matchAll(/"([^"\n]*)"|`([^`]*)`/g)].map(([, plain, template]) =>
		(plain ?? template ?? "").replaceAll(/\$\{[^}]*\}/g, "…"),
	);

const texts = (
	await Promise.all(
		files.map(async (path) => {
			const { tables, wordTables } = (await import(join(root, path))) as Tables;
			return leavesOf((tables ?? wordTables)?.en ?? {}, path);
		}),
	)
).flat();

test("the English texts of both apps are found", () => {
	expect(texts.length).toBeGreaterThan(1_000);
	expect(texts.some(([path]) => path.startsWith("apps/accounts/"))).toBe(true);
});

test.each(englishTerms)('in English, the term is "%s"', (_term, refused) => {
	expect(texts.filter(([, text]) => refused.test(text)).map(([path, text]) => `${path}: ${text}`)).toEqual(
		[],
	);
});

test.each([
	[" forgot sentTitle", "Check your e-mail"],
	[" join approval", "Approval required"],
	[" policies approval", "Approval required"],
	[" slugHint", "Used in URLs."],
	[" themes auto", "System"],
	["/clients/texts.ts secretOnce", "Copy this secret now."],
	["/people/texts.ts expires", "Expires in"],
	["/people/texts.ts saved", "takes effect at the next refresh."],
	["/subscribe/change/texts.ts proration", "Prorated"],
	["/subscribe/history/texts.ts bills", "Overage invoices"],
])("the text at %s has the words of the design: %s", (end, words) => {
	const found = texts.filter(([path]) => path.endsWith(end)).map(([, text]) => text);
	expect(found).not.toEqual([]);
	expect(found.filter((text) => !text.includes(words))).toEqual([]);
});
