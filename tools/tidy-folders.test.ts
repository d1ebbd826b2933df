/**
 * Folders inside the source of a service, package or app: no cycle of imports between them, and no folder
 * that is too full.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const acyclic = ["packages", "services", "apps"].flatMap((group) =>
	readdirSync(join(root, group)).map((name) => `${group}/${name}`),
);
/** Services whose operations take a `Pick` of the dependencies. */
const namingNeeds = ["services/auth"];
const filesMax = 15;
const testFile = /\.test\.tsx?$/;

const sourcesOf = (owner: string): string[] =>
	readdirSync(join(root, owner, "src"), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
		.map((entry) => relative(join(root, owner, "src"), join(entry.parentPath, entry.name)));

const importsOf = (text: string): string[] =>
	[...text.matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g)].map(([, target = ""]) => target);

/**
 * A file directly in `src/` is a node of its own: `failures.ts` is below every folder, `service.ts` above.
 */
const nodeOf = (path: string): string => (dirname(path) === "." ? path : dirname(path));

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function graphOf(files: ReadonlyArray<{ path: string; text: string }>): Graph {
	const graph = new Map<string, Set<string>>();
	for (const { path, text } of files) {
		const targets = graph.get(nodeOf(path)) ?? new Set();
		graph.set(nodeOf(path), targets);
		for (const target of importsOf(text)) {
			const node = nodeOf(join(dirname(path), target));
			if (node !== nodeOf(path) && !node.startsWith("..")) targets.add(node);
		}
	}
	return graph;
}

/**
 * The first cycle found, as the names of its folders with the first one repeated, or undefined.
 */
function findCycle(graph: Graph): string[] | undefined {
	const done = new Set<string>();
	const visit = (node: string, path: readonly string[]): string[] | undefined => {
		if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
		if (done.has(node)) return undefined;
		for (const target of graph.get(node) ?? []) {
			const cycle = visit(target, [...path, node]);
			if (cycle !== undefined) return cycle;
		}
		done.add(node);
		return undefined;
	};
	for (const node of graph.keys()) {
		const cycle = visit(node, []);
		if (cycle !== undefined) return cycle;
	}
	return undefined;
}

/** Tests beside their sources may import anything, as `test/` may. */
const readSources = (owner: string) =>
	sourcesOf(owner)
		.filter((path) => !testFile.test(path))
		.map((path) => ({ path, text: readFileSync(join(root, owner, "src", path), "utf8") }));

test.each(acyclic)("the folders of %s/src import each other without a cycle", (owner) => {
	expect(findCycle(graphOf(readSources(owner))), "move the shared part to the lower folder").toBeUndefined();
});

test.each(acyclic)("no folder of %s/src has more than 15 source files", (owner) => {
	const sources = sourcesOf(owner).filter((path) => !testFile.test(path));
	const counts = Map.groupBy(sources, dirname);
	const full = [...counts].filter(([, files]) => files.length > filesMax).map(([folder]) => folder);
	expect(full, "split it by subject").toEqual([]);
});

test.each(namingNeeds)("operations of %s name the dependencies that they use", (service) => {
	const taking = readSources(service).filter(
		({ path, text }) =>
			dirname(path) !== "." && !path.endsWith(".routes.ts") && /: Dependencies\b(?!\[)/.test(text),
	);
	expect(
		taking.map(({ path }) => path),
		"take Pick<Dependencies, …> instead of Dependencies",
	).toEqual([]);
});

test("a cycle of folders is found, and an import in one direction is not a cycle", () => {
	const down = { path: "quotes/quote.ts", text: 'import { plan } from "../rules/terms/plan.ts";' };
	const up = { path: "rules/terms/plan.ts", text: 'import type { Quote } from "../../quotes/quote.ts";' };
	const top = { path: "service.ts", text: 'import { quote } from "./quotes/quote.ts";' };
	expect(findCycle(graphOf([top, down]))).toBeUndefined();
	expect(findCycle(graphOf([top, down, up]))).toEqual(["quotes", "rules/terms", "quotes"]);
});
