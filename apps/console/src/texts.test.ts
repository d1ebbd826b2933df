import { expect, test } from "vitest";

type Tables = { tables: { en: object; sw: object } };
type Leaf = { path: string; say: unknown };

const files = Object.entries(import.meta.glob<Tables>("./**/texts.ts", { eager: true }));

/** Texts that are the same in both languages: names. */
const names = /^(wordmark|plans\.[A-Z]+)$/;

function leavesOf(table: object, path = ""): Leaf[] {
	return Object.entries(table).flatMap(([key, say]) =>
		typeof say === "object" ? leavesOf(say, `${path}${key}.`) : [{ path: path + key, say }],
	);
}

function sayWith(say: unknown): string {
	return typeof say === "function" ? String(say("Ω", "month")) : String(say);
}

test("the tables of texts are found", () => {
	expect(files.length).toBeGreaterThan(8);
});

test.each(files)(
	"every text of %s exists in both languages, is not empty and takes the same values",
	(_file, { tables }) => {
		const english = leavesOf(tables.en);
		const swahili = new Map(leavesOf(tables.sw).map(({ path, say }) => [path, say]));
		expect([...swahili.keys()].toSorted()).toEqual(english.map(({ path }) => path).toSorted());
		for (const { path, say } of english) {
			const other = swahili.get(path);
			expect(typeof other, path).toBe(typeof say);
			expect(sayWith(other).trim(), path).not.toBe("");
			expect(sayWith(other).includes("Ω"), path).toBe(sayWith(say).includes("Ω"));
			if (!names.test(path)) expect(sayWith(other), path).not.toBe(sayWith(say));
		}
	},
);
