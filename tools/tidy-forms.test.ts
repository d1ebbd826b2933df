/** What every form of the pages has in common: one way to be wrong, and one way to keep what is typed. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const pages = globSync("{apps,packages/interface}/**/src/**/*.tsx", { exclude: ["**/node_modules/**"] });
const read = (path: string) => readFileSync(path, "utf8");
/** The forms of the two applications: each shows all errors and keeps its entries over a reload. */
const shared = ["apps/accounts/src/pages/form/sent-form.tsx", "apps/console/src/forms/submit-form.tsx"];

test("every form of the pages is one of the two that show all errors and keep what is typed", () => {
	expect(pages.filter((path) => /<form\b/.test(read(path))).toSorted()).toEqual(shared);
	for (const path of shared)
		for (const hook of ["useKeptEntries(", "useErrorFocus("]) expect(read(path), path).toContain(hook);
});

test("only the forms that ask for an address to sign in do not keep what is typed", () => {
	const without = pages.filter((path) => /isKept=\{false\}|keptAs=\{undefined\}/.test(read(path)));
	expect(without.toSorted()).toEqual([
		"apps/accounts/src/pages/password/forgot-page.tsx",
		"apps/accounts/src/pages/sign-in/sign-in-page.tsx",
	]);
});

test("a form checks its entries by rules, which find every field that is wrong", () => {
	const first = globSync("apps/console/src/**/*.{ts,tsx}").filter((path) =>
		/InputError \| undefined|\? \{ (message|field):/.test(read(path)),
	);
	expect(first, "use errorsOf of forms/rules.ts").toEqual([]);
});
