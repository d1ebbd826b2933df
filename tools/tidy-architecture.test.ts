/**
 * ARCHITECTURE.md matches the tree: its codemap lists every folder and no other, and every file and folder
 * that the text names exists. The map in README.md and the files named by other READMEs, too.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
	.split("\n")
	.filter((path) => path !== "");
const folders = new Set(
	files.flatMap((path) => {
		const names = path.split("/").slice(0, -1);
		return names.map((_name, depth) => names.slice(0, depth + 1).join("/"));
	}),
);

/** Folders whose children are listed one by one; of the others at the root, the folder itself is listed. */
const parents = ["apps", "examples", "packages", "sandbox", "services", "tests"];

const childrenOf = (parent: string): string[] =>
	[...folders].filter(
		(path) => path.startsWith(`${parent}/`) && !path.slice(parent.length + 1).includes("/"),
	);

/** The folder that the indented lines below an owner are relative to. */
const sourceOf = (owner: string) => (folders.has(`${owner}/src`) ? `${owner}/src` : owner);

/**
 * The folders on a map. A line that begins with a path names an owner; an indented line names folders of it,
 * separated by spaces and before its description.
 */
function foldersOn(map: string): string[] {
	let owner = "";
	return map.split("\n").flatMap((line) => {
		const path = /^(\S+)\/(?:\s|$)/.exec(line)?.[1];
		if (path !== undefined) {
			owner = path;
			return [path];
		}
		const names = /^ {2}((?:[\w-]+\/ ?)+)/.exec(line)?.[1] ?? "";
		return names
			.split(/\/ ?/)
			.filter((name) => name !== "")
			.map((name) => `${sourceOf(owner)}/${name}`);
	});
}

const codemap = foldersOn(/## Codemap\n\n```\n(.*?)\n```/s.exec(text)?.[1] ?? "");

test("every folder on the codemap exists, and is listed once", () => {
	expect(codemap.length).toBeGreaterThan(20);
	expect(codemap.filter((path) => !folders.has(path))).toEqual([]);
	expect(codemap.filter((path, index) => codemap.indexOf(path) !== index)).toEqual([]);
});

test("every app, example, package, service and test folder is on the codemap, and every folder at the root", () => {
	const owners = [...parents.flatMap(childrenOf), ...[...folders].filter((path) => !path.includes("/"))];
	const expected = owners.filter((path) => !parents.includes(path) && !path.startsWith("."));
	expect(expected.filter((path) => !codemap.includes(path))).toEqual([]);
});

test("every source folder of an app, a package or a service is on the codemap, with its owner", () => {
	const sources = ["apps", "packages", "services"]
		.flatMap(childrenOf)
		.flatMap((owner) => childrenOf(`${owner}/src`));
	expect(sources.length).toBeGreaterThan(20);
	expect(sources.filter((path) => !codemap.includes(path))).toEqual([]);
});

test("the map in README.md lists every app, example, package and service", () => {
	const readme = readFileSync(join(root, "README.md"), "utf8");
	const map = foldersOn(/## Map\n\n```\n(.*?)\n```/s.exec(readme)?.[1] ?? "");
	const owners = parents.filter((parent) => parent !== "tests").flatMap(childrenOf);
	expect(owners.filter((path) => !map.includes(path))).toEqual([]);
	expect(map.filter((path) => !folders.has(path))).toEqual([]);
});

/** Sections whose paths are relative to a folder that the section names. */
const bases: Readonly<Record<string, string>> = {
	"The life of a request": "packages/chassis/src",
	"The life of a sign-in": "services/auth/src",
};

test("every file and folder that the text outside the codemap names exists", () => {
	const sections = text.split(/^## /m).map((section) => ({
		title: section.split("\n")[0] ?? "",
		prose: section.replaceAll(/```.*?```/gs, ""),
	}));
	const outsideMap = sections.filter(({ title }) => title !== "Codemap");
	const named = outsideMap.flatMap(({ title, prose }) =>
		[
			...prose.matchAll(
				/`([\w./-]+\.(?:ts|tsx|js|sql|md|txt|yaml)|[\w.-]+\/[\w./-]*)`|\]\(([^)#\s]+)[^)]*\)/g,
			),
		].map(([, code, link]) => ({ title, path: (code ?? link ?? "").replace(/\/$/, "") })),
	);
	expect(named.length).toBeGreaterThan(50);
	const missing = named.filter(({ title, path }) => {
		const base = bases[title];
		return !(
			exists(path) ||
			(base !== undefined && exists(`${base}/${path}`)) ||
			(!path.includes("/") && files.some((file) => file.endsWith(`/${path}`)))
		);
	});
	expect(missing.map(({ title, path }) => `${title}: ${path}`)).toEqual([]);
});

test("every file that a README names exists, relative to it, to its source folder or to the root", () => {
	const readmes = files.filter((path) => /(?:^|\/)README\.md$/.test(path) && existsSync(join(root, path)));
	expect(readmes.length).toBeGreaterThan(30);
	const missing = readmes.flatMap((readme) => {
		const prose = readFileSync(join(root, readme), "utf8").replaceAll(/```.*?```/gs, "");
		const named = [...prose.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|tsx|js|sql|md|txt|yaml))`/g)];
		return named
			.map(([, path = ""]) => path)
			.filter((path) => !path.includes("NNNN"))
			.filter(
				(path) =>
					!["", "src"].some((folder) => exists(join(dirname(readme), folder, path))) &&
					!files.some((file) => file === path || file.endsWith(`/${path}`)),
			)
			.map((path) => `${readme}: ${path}`);
	});
	expect(missing).toEqual([]);
});

const exists = (path: string) => files.includes(path) || folders.has(path);

test("a map's indented folders belong to the owner above them", () => {
	const map = "packages/events/   events\n  inbox/ nats/   parts\ntools/   commands\n  up/   npm start";
	expect(foldersOn(map)).toEqual([
		"packages/events",
		"packages/events/src/inbox",
		"packages/events/src/nats",
		"tools",
		"tools/up",
	]);
});
