/**
 * `npm run check`: format, lint, types, tidy, unused code, generated pages, known advisories. Runs every
 * check, prints one line with result and duration for each, and prints the output of failed checks at the
 * end. In `.ci/run`, whose tests include them, leaves out tidy and the generated pages.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const minutesMax = 5;

type Outcome = { ok: boolean; output: string; note?: string };
type Check = {
	name: string;
	command: readonly string[];
	judge?: (outcome: Outcome) => Outcome;
	/** `npm test` has it, too: left out where that runs beside (`LANGO_TESTS_RUN_BESIDE`). */
	isTested?: true;
};

const bin = (name: string) => join(root, "node_modules", ".bin", name);

const checks: readonly Check[] = [
	{ name: "format and lint", command: [bin("biome"), "check", "--max-diagnostics=200", "."] },
	{ name: "types (node)", command: [bin("tsc"), "--noEmit", "-p", "tsconfig.json"] },
	{ name: "types (browser)", command: [bin("tsc"), "--noEmit", "-p", "tsconfig.browser.json"] },
	{ name: "types (console)", command: [bin("tsc"), "--noEmit", "-p", "tsconfig.console.json"] },
	{ name: "tidy", command: [bin("vitest"), "run", "--project", "unit", "tools/tidy"], isTested: true },
	{ name: "unused code", command: [bin("knip"), "--no-progress", "--no-config-hints"] },
	{
		name: "generated pages",
		command: [process.execPath, join(root, "tools/generate.ts"), "--check"],
		isTested: true,
	},
	{
		name: "advisories",
		command: ["npm", "audit", "--audit-level=high", "--loglevel=error", "--json"],
		judge: judgeAudit,
	},
];

const failed: string[] = [];
const chosen = checks.filter(({ isTested = false }) => !isTested || !process.env["LANGO_TESTS_RUN_BESIDE"]);
for (const { name, command, judge = (outcome: Outcome) => outcome } of chosen) {
	const begin = performance.now();
	const { ok, output, note } = judge(await run(command));
	const seconds = ((performance.now() - begin) / 1000).toFixed(1);
	console.log(
		`${ok ? "ok    " : "FAILED"} ${name.padEnd(16)} ${seconds.padStart(5)} s${note ? `  ${note}` : ""}`,
	);
	if (!ok) failed.push(`── ${name} ──\n${output.trim()}`);
}
for (const report of failed) console.log(`\n${report}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function run([command = "", ...words]: readonly string[]): Promise<Outcome> {
	const child = spawn(command, words, {
		cwd: root,
		env: { ...process.env, FORCE_COLOR: "0" },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: minutesMax * 60_000,
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
	return new Promise((done) => {
		child.once("error", ({ message }) => done({ ok: false, output: message }));
		child.once("close", (code, signal) => {
			const late = signal === null ? "" : `\nEnded by ${signal}, after ${minutesMax} minutes at most.`;
			done({ ok: code === 0, output: `${output}${late}` });
		});
	});
}

/** An unavailable registry is not a failure of the code; an advisory is. */
function judgeAudit({ output }: Outcome): Outcome {
	const answer = readJson(output.slice(output.indexOf("{")));
	const counts = (answer as { metadata?: { vulnerabilities?: Record<string, number> } })?.metadata
		?.vulnerabilities;
	if (counts === undefined)
		return { ok: true, output, note: "the registry does not respond: advisories not checked" };
	const grave = (counts["high"] ?? 0) + (counts["critical"] ?? 0);
	const mild = (counts["total"] ?? 0) - grave;
	const note = mild > 0 ? `${mild} of low or moderate severity: npm audit` : undefined;
	return { ok: grave === 0, output, ...(note && { note }) };
}

function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
