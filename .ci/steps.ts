/**
 * The second half of .ci/run: every step, whatever the others gave, and the sum of all tests. Two steps run
 * side by side; when one has ended, the next begins. A step's output is printed when it has ended.
 */
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { buildPages } from "../tools/up/build-pages.ts";
import { countCommand, countTests, type Sum } from "./count-tests.ts";
import { type Command, runCommand, stopOnSignal } from "./run-command.ts";
import { makeScratch } from "./scratch.ts";

const root = join(import.meta.dirname, "..");
const results = join(root, ".lango/results");
const buildMsMax = 180_000;

/**
 * `tests`: the step is a run of Vitest, whose tests are counted; another step counts as one when it fails.
 */
type Step = {
	name: string;
	command: readonly string[];
	tests: boolean;
	environment?: Readonly<Record<string, string>>;
};

const vitest = (...words: string[]) => ["npx", "vitest", "run", "--project", ...words];

/** In the order of their start. Steps that mostly wait come beside steps that mostly compute. */
const steps: Step[] = [
	{
		name: "tests",
		// With four workers beside another step, each of three runs found a race in a test.
		command: ["npm", "test", "--", "--maxWorkers=3"],
		tests: true,
		// Each run has another seed. A local run sends fewer.
		environment: { LANGO_GENERATED_REQUESTS: "12000" },
	},
	{ name: "faults", command: vitest("faults", "tests/faults"), tests: true },
	// Each of its workers starts a Chromium and a platform.
	{ name: "browser", command: vitest("browser", "--maxWorkers=2"), tests: true },
	{ name: "starting", command: vitest("starting"), tests: true },
	{ name: "faults of packages", command: vitest("faults", "packages"), tests: true },
	{
		name: "check",
		command: ["npm", "run", "check"],
		tests: false,
		// Of two checks the same is in the step `tests`.
		environment: { LANGO_TESTS_RUN_BESIDE: "true" },
	},
];
/**
 * On two cores, and with four workers for the tests, all steps took 1,512 s with two at once and 1,605 s with
 * three. The faults mostly wait: alone they take 378 s of processor time in 728 s.
 */
const stepsAtOnce = 2;

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
stopOnSignal();
const scratch = makeScratch(root);
const begin = performance.now();
const built = await buildAllPages();
const lanes = Array.from({ length: stepsAtOnce }, runLane);
const sums = [built, ...(await Promise.all(lanes)).flat()];

const total = (of: "passed" | "failed" | "skipped") => sums.reduce((sum, one) => sum + one[of], 0);
for (const test of sums.flatMap(({ flaky }) => flaky))
	console.log(`\nfailed once, passed when repeated: ${test}`);
for (const failure of sums.flatMap(({ failures }) => failures)) console.log(`\n✗ ${failure}`);
if (total("skipped") > 0)
	console.log(`${total("skipped")} were skipped: is there a nats-server and a Redis or Valkey?`);
console.log(`All steps took ${secondsSince(begin)} s.`);
console.log(`${total("passed")} passed, ${total("failed")} failed`);
process.exitCode = total("failed") === 0 ? 0 : 1;

/** Builds the pages before any step: several steps serve them, and would build them at the same time. */
async function buildAllPages(): Promise<Sum> {
	try {
		for (const folder of ["apps/accounts", "apps/console"])
			await buildPages(folder, AbortSignal.timeout(buildMsMax));
		return countCommand("pages", 0);
	} catch (error) {
		return { ...countCommand("pages", 1), failures: [`pages: ${error}`] };
	}
}

/** Runs one step after the other until none is left. */
async function runLane(): Promise<Sum[]> {
	const ended: Sum[] = [];
	for (let step = steps.shift(); step !== undefined; step = steps.shift()) ended.push(await runStep(step));
	return ended;
}

async function runStep({ name, command, tests, environment }: Step): Promise<Sum> {
	const started = performance.now();
	const path = join(results, name.replaceAll(" ", "-"));
	const json = `${path}.json`;
	const words = [...command, ...(tests ? reporters(json) : [])];
	const underWayFile = `${path}.under-way.json`;
	const step: Command = {
		name,
		words,
		log: `${path}.log`,
		underWayFile,
		environment: {
			...environment,
			UNDER_WAY_FILE: underWayFile,
			// Steps side by side neither count nor drop each other's databases, and a step that is killed takes its
			// own along.
			LANGO_TEST_POSTGRES: join(scratch, "postgres", basename(path)),
			TMPDIR: scratch,
		},
	};
	console.log(`━━ ${name} has started: ${command.join(" ")}`);
	const code = await runCommand(step);
	const sum = tests ? countTests(name, json, code) : countCommand(name, code);
	console.log(`━━ ${name}: ${sum.passed} passed, ${sum.failed} failed, ${secondsSince(started)} s`);
	return sum;
}

function reporters(json: string): readonly string[] {
	const underWay = join(root, ".ci/under-way.ts");
	return ["--reporter=default", "--reporter=json", `--outputFile.json=${json}`, `--reporter=${underWay}`];
}

function secondsSince(moment: number): number {
	return Math.round((performance.now() - moment) / 1000);
}
