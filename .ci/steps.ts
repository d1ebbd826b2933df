/** The second half of .ci/run: every step in turn, whatever the one before it gave, and the sum of all tests. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const results = join(root, ".lango/results");
const underWayFile = join(results, "under-way.json");
/** What Node made of the programs it ran: hundreds of processes run the same few. */
const compileCache = join(root, ".lango/compile-cache");
/** All steps together have 90 minutes; one that takes this long is taken to hang. */
const minutesMax = 30;
const failureLinesMax = 25;

/** `tests`: the step is a run of Vitest, whose tests are counted; another step counts as one when it fails. */
type Step = {
	name: string;
	command: readonly string[];
	tests: boolean;
	environment?: Readonly<Record<string, string>>;
};
type Sum = { passed: number; failed: number; skipped: number; failures: readonly string[] };

const vitest = (project: string) => ["npx", "vitest", "run", "--project", project];

const steps: readonly Step[] = [
	{
		name: "tests",
		command: ["npm", "test", "--"],
		tests: true,
		// Takes about 20 s of processor time; a local run sends fewer.
		environment: { LANGO_GENERATED_REQUESTS: "30000" },
	},
	{ name: "faults", command: vitest("faults"), tests: true },
	{ name: "browser", command: vitest("browser"), tests: true },
	{ name: "starting", command: vitest("starting"), tests: true },
	{ name: "check", command: ["npm", "run", "check"], tests: false },
];

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
const sums: Sum[] = [];
for (const step of steps) sums.push(await runStep(step));

const total = (of: "passed" | "failed" | "skipped") => sums.reduce((sum, one) => sum + one[of], 0);
for (const failure of sums.flatMap(({ failures }) => failures)) console.log(`\n✗ ${failure}`);
if (total("skipped") > 0)
	console.log(`${total("skipped")} were skipped: is there a nats-server and a Redis or Valkey?`);
console.log(`${total("passed")} passed, ${total("failed")} failed`);
process.exitCode = total("failed") === 0 ? 0 : 1;

async function runStep({ name, command, tests, environment }: Step): Promise<Sum> {
	const begin = performance.now();
	const file = join(results, `${name}.json`);
	console.log(`\n━━ ${name}: ${command.join(" ")}`);
	const code = await run([...command, ...(tests ? reporters(file) : [])], environment);
	const sum = tests ? countTests(name, file, code) : countCommand(name, code);
	const seconds = Math.round((performance.now() - begin) / 1000);
	console.log(`━━ ${name}: ${sum.passed} passed, ${sum.failed} failed, ${seconds} s`);
	return sum;
}

function reporters(file: string): readonly string[] {
	const underWay = join(root, ".ci/under-way.ts");
	return ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`, `--reporter=${underWay}`];
}

/** In a process group of its own, so that a step that hangs is killed with all it started and nothing works beside the next one. */
function run(
	[command = "", ...words]: readonly string[],
	environment: Step["environment"] = {},
): Promise<number> {
	rmSync(underWayFile, { force: true });
	const child = spawn(command, words, {
		cwd: root,
		stdio: "inherit",
		detached: true,
		env: { ...process.env, ...environment, UNDER_WAY_FILE: underWayFile, NODE_COMPILE_CACHE: compileCache },
	});
	const hung = setTimeout(() => {
		console.log(`Killed after ${minutesMax} minutes. Under way were: ${readUnderWay()}`);
		if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
	}, minutesMax * 60_000);
	return new Promise<number>((done) => {
		child.once("error", () => done(1));
		child.once("close", (code) => done(code ?? 1));
	}).finally(() => clearTimeout(hung));
}

function readUnderWay(): string {
	try {
		return readFileSync(underWayFile, "utf8");
	} catch {
		return "nothing that was told";
	}
}

function countCommand(step: string, code: number): Sum {
	if (code === 0) return { passed: 0, failed: 0, skipped: 0, failures: [] };
	return { passed: 0, failed: 1, skipped: 0, failures: [`${step}: ended with ${code}`] };
}

/** A file that failed before its tests ran, and a run that failed without naming a test, count as one failure each. */
function countTests(step: string, file: string, code: number): Sum {
	const report = readReport(file);
	const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
		const failed = assertionResults.filter((test) => test.status === "failed");
		if (status === "failed" && failed.length === 0) return [tell(name, message)];
		return failed.map(({ fullName, failureMessages }) =>
			tell(`${name}: ${fullName}`, failureMessages.join("\n")),
		);
	});
	if (failures.length === 0 && code !== 0) failures.push(`${step}: ended with ${code}`);
	return {
		passed: report.numPassedTests,
		failed: failures.length,
		skipped: report.numPendingTests,
		failures,
	};
}

/** What failed and the first lines of why: the whole of it stands where it happened, which may be cut off. */
function tell(what: string, message: string | undefined): string {
	const ownLines = (message ?? "").split("\n").filter((line) => !line.includes("/node_modules/"));
	const why = ownLines.slice(0, failureLinesMax);
	return [relative(root, what), ...why.map((line) => `    ${line.slice(0, 300)}`)].join("\n");
}

type Report = {
	numPassedTests: number;
	numPendingTests: number;
	testResults: Array<{
		name: string;
		status: string;
		message?: string;
		assertionResults: Array<{ status: string; fullName: string; failureMessages: string[] }>;
	}>;
};

function readReport(file: string): Report {
	try {
		return JSON.parse(readFileSync(file, "utf8"));
	} catch {
		return { numPassedTests: 0, numPendingTests: 0, testResults: [] };
	}
}
