import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	type Instrument,
	type InstrumentName,
	instruments,
	prometheusNameOf,
	prometheusWord,
} from "@lango/chassis";
import { describe, expect, test } from "vitest";

// What a board or an alarm asks for is what services give; that they give it is for
// tests/journeys/tracing.test.ts.

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Every expression of the board: of its panels, annotations and variables. */
function expressionsOfBoard(): string[] {
	const found: string[] = [];
	const walk = (value: unknown): void => {
		if (typeof value !== "object" || value === null) return;
		for (const [key, inner] of Object.entries(value)) {
			if ((key === "expr" || key === "query") && typeof inner === "string") found.push(inner);
			walk(inner);
		}
	};
	walk(JSON.parse(read("deploy/grafana/lango.json")));
	return found.filter((text) => text !== "prometheus");
}

/** Every expression of the rules, be it on one line or folded. */
const expressionsOfRules = () =>
	read("deploy/prometheus/alerts.yaml")
		.split(/\n {6}- alert: /)
		.slice(1)
		.map((rule) => /\n {8}expr:(?: >-)?([\s\S]*?)\n {8}\w+:/.exec(rule)?.[1] ?? "");

/** What Prometheus itself adds, with its labels. */
const ofPrometheus = new Map([["up", ["job"]]]);
const everywhere = ["otel_scope_name", "instance", "job", "le"];

/** Every series that services give, with its labels. */
const series = new Map(
	Object.entries<Instrument>(instruments).flatMap(([name, { kind, attributes }]) => {
		const base = prometheusNameOf(name as InstrumentName);
		const names = kind === "histogram" ? ["_bucket", "_count", "_sum"].map((end) => base + end) : [base];
		return names.map((one) => [one, attributes.map(prometheusWord)] as const);
	}),
);

/** The series an expression names, each with its labels: `name{…}`, or the first argument of label_values. */
const seriesIn = (expression: string) => [
	...[...expression.matchAll(/([a-z_][a-z0-9_]*)\{([^}]*)\}/g)].map(([, name = "", labels = ""]) => ({
		name,
		labels: [...labels.matchAll(/([a-z_0-9]+)(?==|!)/g)].map(([label]) => label),
	})),
	...[...expression.matchAll(/label_values\((\w+), (\w+)\)/g)].map(([, name = "", label = ""]) => ({
		name,
		labels: [label],
	})),
];

describe.each([
	["the board", expressionsOfBoard()],
	["the alarms", expressionsOfRules()],
] as const)("%s", (_, expressions) => {
	test("has expressions, and each names a series with what it selects", () => {
		expect(expressions.length).toBeGreaterThan(8);
		for (const expression of expressions) expect(seriesIn(expression), expression).not.toEqual([]);
	});

	test.each([...expressions])("%s asks for what is given, by labels it has", (expression) => {
		const known = new Map([...series, ...ofPrometheus]);
		const asked = seriesIn(expression);
		for (const { name, labels } of asked) {
			expect([...known.keys()]).toContain(name);
			expect([...everywhere, ...(known.get(name) ?? [])]).toEqual(expect.arrayContaining(labels));
		}
		const all = [...everywhere, ...asked.flatMap(({ name }) => known.get(name) ?? [])];
		for (const [, by = ""] of expression.matchAll(/by \(([^)]*)\)/g))
			expect(all).toEqual(expect.arrayContaining(by.split(", ")));
	});
});

/** What a page calls a measurement: in backquotes, and named as those of the table are. */
const ofTable =
	/`((?:http_server|process|nodejs|v8js|db_client|messaging|lango_[a-z]+)_[a-z0-9_]*[a-z0-9])(?:\{[^`]*)?`/g;
const homes = [
	"README.md",
	"docs/pages/*.md",
	"packages/*/README.md",
	"services/*/README.md",
	"deploy/**/README.md",
];
const pages = globSync(homes, { cwd: root }).toSorted();

test.each(pages)("what %s calls a measurement is one", (page) => {
	const named = [...read(page).matchAll(ofTable)].map(([, name = ""]) => name);
	const known = Object.keys(instruments).map((name) => prometheusNameOf(name as InstrumentName));
	expect([...series.keys(), ...known]).toEqual(expect.arrayContaining(named));
});

test("pages name measurements, so that looking for them means something", () => {
	const named = pages.flatMap((page) => [...read(page).matchAll(ofTable)]);
	expect(named.length).toBeGreaterThan(4);
});

test("what to do is said of every alarm, and of no other", () => {
	const rules = [...read("deploy/prometheus/alerts.yaml").matchAll(/- alert: (\w+)/g)].map(
		([, name]) => name,
	);
	const said = [...read("docs/pages/observing.md").matchAll(/`(Lango[A-Z]\w+)`/g)].map(([, name]) => name);
	expect(said.toSorted()).toEqual(rules.toSorted());
});

test("every measured series is on the board, except those that another one represents", () => {
	const beside = ["nodejs.eventloop.delay.p50", "nodejs.eventloop.delay.max"];
	const shown = new Set(
		expressionsOfBoard()
			.flatMap(seriesIn)
			.map(({ name }) => name),
	);
	const missing = Object.keys(instruments).filter((name) => {
		const base = prometheusNameOf(name as InstrumentName);
		return ![base, `${base}_count`, `${base}_bucket`].some((one) => shown.has(one));
	});
	expect(missing).toEqual(beside);
});
