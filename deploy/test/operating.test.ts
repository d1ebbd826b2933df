/**
 * What docs/pages/operating.md and deploy/README.md name exists, so that the documents are right in an
 * incident.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { IPodSpec } from "kubernetes-models/v1";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { prefixOf } from "../../tools/up/parts.ts";
import { parts } from "../../tools/up.ts";
import { composeText, isRunnable, read, readContainerFile, root } from "./files.ts";
import { readValues } from "./render-chart.ts";

const operating = read("docs/pages/operating.md");
const pages: ReadonlyArray<readonly [path: string, text: string]> = [
	["docs/pages/operating.md", operating],
	["deploy/README.md", read("deploy/README.md")],
];
const matches = (text: string, pattern: RegExp): string[] => [
	...new Set([...text.matchAll(pattern)].map(([, found = ""]) => found)),
];

test("commands they name are there, and a test runs each", () => {
	const commands = matches(pages.join(), /\btools\/([a-z-]+)\.ts\b/g);
	expect(commands).toEqual(
		expect.arrayContaining(["migrate", "keys", "replay", "first-owner", "dead-letters"]),
	);
	// Those of compose.yaml are run by tests/starting/deployed.test.ts.
	const run = `${composeText}${read("deploy/pages.Containerfile")}${listTestsThatRunCommands().map(read).join()}`;
	const isRun = (name: string) => new RegExp(`tools/${name}\\.ts|["\`]${name}["\` ]`).test(run);
	expect(commands.filter((name) => !existsSync(join(root, `tools/${name}.ts`)) || !isRun(name))).toEqual([]);
});

/** Tests that start programs or run commands by `runTool`, except this one. */
const listTestsThatRunCommands = () =>
	execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.test.ts"], { cwd: root, encoding: "utf8" })
		.split("\n")
		.filter((path) => path !== "" && existsSync(join(root, path)) && !path.startsWith("deploy/"))
		.filter((path) => /process\.execPath|\brunTool\b/.test(read(path)));

test("the pod that makes the first person is one by Kubernetes' schema, and runs the command with the chart's secret", async () => {
	const [text = ""] = matches(operating, /--overrides='([^']+)'/g);
	const { spec } = JSON.parse(text) as { spec: IPodSpec };
	const { validate } = await import("kubernetes-models/_schemas/IoK8sApiCoreV1PodSpec");
	expect(validate(spec)).toBe(true);
	const [container] = spec.containers;
	expect(container?.envFrom).toEqual([{ secretRef: { name: readValues()["secretName"] } }]);
	expect(
		isRunnable([...readContainerFile("deploy/tools.Containerfile").entrypoint, ...(container?.args ?? [])]),
	).toBe(true);
});

test("what it says was measured is what the reports say", () => {
	const [signOn, events] = [read("docs/generated/bench-sign-on.md"), read("docs/generated/bench-events.md")];
	const figure = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]).toLocaleString("en");
	const latency = /\| p50 \| p99 \|\n.+\n\| ([\d.]+) .*\| ([\d.]+) /.exec(events);
	for (const said of [
		`${figure(signOn, /after its start \| (\d+) MB/)} MB after its start, ${figure(signOn, /100,000 sessions \| (\d+) MB/)} MB after 100,000 sessions`,
		`| ${figure(events, /acknowledged, marked \| (\d+) /)} per second |`,
		`| median ${Number(latency?.[1])} ms, p99 ${Number(latency?.[2])} ms |`,
	])
		expect(operating).toContain(said);
});

test("variables they name are those of the table of settings, or of compose.yaml", () => {
	const known = `${read("docs/generated/settings.md")}${composeText}`;
	for (const [path, text] of pages) {
		const named = matches(text, /\b((?:<NAME>_)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g);
		const missing = named.filter((name) =>
			parts.services.every(({ service }) => !known.includes(name.replace("<NAME>", prefixOf(service.name)))),
		);
		expect([path, missing]).toEqual([path, []]);
	}
});

test("each measurement of the table has its alarm, and each alarm is in the table", () => {
	const section = operating.slice(operating.indexOf("## Alarms"), operating.indexOf("## Upgrade"));
	const watched = matches(section, /^\| `(\w+)` \|/gm);
	const { groups } = parse(read("deploy/prometheus/alerts.yaml")) as {
		groups: Array<{ rules: Array<{ alert: string; expr: string }> }>;
	};
	const rules = groups.flatMap((group) => group.rules).filter(({ alert }) => alert !== "LangoProcessAway");
	expect(rules.filter(({ expr }) => !watched.some((name) => expr.includes(name)))).toEqual([]);
	const silent = watched.filter((name) => !rules.some(({ expr }) => expr.includes(name)));
	expect(silent).toEqual(["process_memory_usage_bytes"]);
});

test("streams of the bus they name are those that events lie in", () => {
	const lines = matches(read("docs/generated/events.md"), /^(\| `.+)$/gm);
	const streams = lines.map((line) => line.split("|")[3]?.trim() ?? "");
	expect(streams).toEqual(expect.arrayContaining(["AUTH", "SUBSCRIPTION", "TREASURY"]));
	const readme = ["packages/events/README.md", read("packages/events/README.md")] as const;
	const all = [...pages, readme].map(([path, text]) => {
		const lines = matches(text, /^(.*\bstream.*)$/gm).join("\n");
		return [path, [...matches(lines, /`([A-Z]+)`/g), ...matches(lines, /\bnats stream \w+ (\w+)/g)]] as const;
	});
	expect(all.flatMap(([, named]) => named).length).toBeGreaterThan(2);
	for (const [path, named] of all)
		expect([path, named.filter((name) => !streams.includes(name))]).toEqual([path, []]);
});

test("their links lead to files that are there", () => {
	for (const [path, text] of pages) {
		const links = matches(text, /\]\(([^)#]+)(?:#[^)]*)?\)/g).filter((link) => !link.startsWith("https://"));
		expect([path, links.filter((link) => !existsSync(join(root, dirname(path), link)))]).toEqual([path, []]);
		const anchors = matches(text, /\]\(#([^)]+)\)/g);
		const headings = matches(text, /^#+ (.+)$/gm).map((heading) =>
			heading.toLowerCase().replaceAll(" ", "-"),
		);
		expect([path, anchors.filter((anchor) => !headings.includes(anchor))]).toEqual([path, []]);
	}
});

test("the table of distribution keys lists all tables, and no others", () => {
	const folders = new Set(
		parts.services.flatMap(({ service }) => service.migrations.map(({ folder }) => folder)),
	);
	const schemas = [...folders].flatMap((folder) => {
		const migrations = join(folder, "migrations");
		return readdirSync(migrations).map((file) => read(join(migrations, file).slice(root.length + 1)));
	});
	const tables = matches(schemas.join("\n"), /^create table (\w+)/gm);
	expect(tables.length).toBeGreaterThan(50);
	const section = operating.slice(operating.indexOf("## Limits"));
	const rows = section.split("\n").filter((line) => line.startsWith("|"));
	const columns = ["id", "tenant_id", "operation_id", "token_hash"];
	const named = matches(rows.join("\n"), /`(\w+)`/g).filter((name) => !columns.includes(name));
	expect(named.toSorted()).toEqual(tables.toSorted());
});
