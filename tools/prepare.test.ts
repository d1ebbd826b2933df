import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { whyInstall } from "./prepare.js";

type Packages = Record<string, Record<string, unknown>>;

const wanted: Packages = {
	"": { name: "lango" },
	"node_modules/pg": { version: "8.1.0", integrity: "sha512-a" },
	"node_modules/for-another-system": { version: "1.0.0", optional: true },
	"node_modules/@lango/auth": { resolved: "services/auth", link: true },
};
const { "": _root, "node_modules/for-another-system": _other, ...installed } = wanted;

let root: string;
const write = (path: string, packages: Packages) =>
	writeFileSync(join(root, path), JSON.stringify({ packages }));

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "lango-prepare-"));
	mkdirSync(join(root, "node_modules"));
	mkdirSync(join(root, ".lango"));
	write("package-lock.json", wanted);
	write("node_modules/.package-lock.json", installed);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("packages as the lock file says are left alone, also after a checkout touched the lock file", () => {
	utimesSync(join(root, "package-lock.json"), new Date("2999-01-01"), new Date("2999-01-01"));
	expect(whyInstall(root)).toBeUndefined();
});

test("a clone without packages is installed", () => {
	rmSync(join(root, "node_modules"), { recursive: true });
	expect(whyInstall(root)).toBe("there is no node_modules");
});

test("an install that was interrupted is made again", () => {
	rmSync(join(root, "node_modules/.package-lock.json"));
	expect(whyInstall(root)).toBe("the last install did not finish");
	write("node_modules/.package-lock.json", installed);
	writeFileSync(join(root, ".lango/installing"), "1\n");
	expect(whyInstall(root)).toBe("the last install was interrupted");
});

const changes: ReadonlyArray<readonly [what: string, packages: Packages, why: string]> = [
	[
		"another version",
		{ "node_modules/pg": { version: "8.2.0", integrity: "sha512-a" } },
		"node_modules/pg is not as",
	],
	[
		"other contents",
		{ "node_modules/pg": { version: "8.1.0", integrity: "sha512-b" } },
		"node_modules/pg is not as",
	],
	["a new package", { "node_modules/new": { version: "1.0.0" } }, "node_modules/new is not as"],
	[
		"a moved workspace",
		{ "node_modules/@lango/auth": { resolved: "apps/auth", link: true } },
		"@lango/auth is not as",
	],
];

test.each(changes)("%s in the lock file is installed", (_what, packages, why) => {
	write("package-lock.json", { ...wanted, ...packages });
	expect(whyInstall(root)).toContain(why);
});

test("a package that left the lock file is removed", () => {
	write("node_modules/.package-lock.json", { ...installed, "node_modules/old": { version: "1.0.0" } });
	expect(whyInstall(root)).toBe("node_modules/old is no longer in package-lock.json");
});

test("a lock file that cannot be read is an error that says so", () => {
	writeFileSync(join(root, "package-lock.json"), "<<<<<<<");
	expect(() => whyInstall(root)).toThrow("package-lock.json is missing or is not JSON");
});
