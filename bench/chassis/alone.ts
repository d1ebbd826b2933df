import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { median, spreadOf } from "../figures.ts";
import { type Section, table } from "../report.ts";
import { onCores } from "../sign-on/cores.ts";
import type { Measured, Stage } from "./stage.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "alone-process.ts");
const msMax = 10 * 60_000;

/** Measures unknown tokens: the verifier alone, and whole requests one at a time. */
export async function measureFirstSight(stage: Stage): Promise<Section> {
	const { tokens: count } = stage.options;
	const alone: FirstSight[] = [];
	for (let at = 0; at < stage.options.runs; at += 1)
		alone.push(await measure<FirstSight>(stage, ["first-sight", String(count)]));
	const target = await stage.startDomain({ isLimited: false, isObserved: false });
	const over: Measured[] = [];
	for (let at = 0; at < stage.options.runs; at += 1)
		over.push(
			await stage.drive(target, {
				seconds: 60,
				settleSeconds: 0,
				tokens: stage.mintTokens(count),
				requests: count,
				connections: 1,
			}),
		);
	await target.running.stop();
	const p50 = spreadOf(alone.map((one) => one.p50));
	const row = (name: string, outcomes: ReadonlyArray<{ p50: number; p99: number }>) => [
		name,
		median(outcomes.map((one) => one.p50)).toFixed(3),
		median(outcomes.map((one) => one.p99)).toFixed(3),
	];
	return {
		title: "Unknown tokens",
		text: `${table(["", "p50 ms", "p99 ms"], [row("the verifier alone", alone), row("a whole request, one at a time", over)])}

${count} different tokens per run, ES256, of ${alone[0]?.bytes ?? 0} bytes.`,
		verdicts: [
			{
				what: "Unknown token, p50",
				figure: `${p50.middle.toFixed(2)} ms (${p50.least.toFixed(2)}–${p50.most.toFixed(2)})`,
				target: "≤ 1 ms",
				isReached: p50.middle <= 1,
				ifNot: "OpenSSL's check of the signature takes most of it.",
			},
		],
	};
}

/** Measures a permission decision. */
export async function measureDecision(stage: Stage): Promise<Section> {
	const all: Array<{ ns: number; held: number }> = [];
	for (let at = 0; at < stage.options.runs; at += 1) all.push(await measure(stage, ["decision"]));
	const ns = spreadOf(all.map((one) => one.ns));
	const figure = `${ns.middle.toFixed(0)} ns (${ns.least.toFixed(0)}–${ns.most.toFixed(0)})`;
	return {
		title: "A permission decision",
		text: `${figure} of processor time per decision, for a person with ${all[0]?.held ?? 0} permissions; allowed directly, allowed by another action, and refused, in turn.`,
		verdicts: [
			{ what: "A permission decision", figure, target: "< 1 µs", isReached: ns.middle < 1_000, ifNot: "" },
		],
	};
}

/** Measures the memory of full caches. */
export async function measureCaches(stage: Stage): Promise<Section> {
	const { people, tenants } = stage.options;
	const { mb, tokenBytes } = await measure<{ mb: number; tokenBytes: number }>(stage, [
		"caches",
		String(people),
		String(tenants),
	]);
	return {
		title: "Full caches",
		text: `${mb.toFixed(0)} MB of the heap after a garbage collection, with ${people} people and their verified tokens (of ${tokenBytes} bytes each), ${tenants} tenants and their subscriptions. New entries replace the oldest.`,
		verdicts: [
			{
				what: "Full caches",
				figure: `${mb.toFixed(0)} MB`,
				target: "< 100 MB",
				isReached: mb < 100,
				ifNot: "",
			},
		],
	};
}

type FirstSight = { p50: number; p99: number; bytes: number };

async function measure<T>({ cores }: Stage, words: readonly string[]): Promise<T> {
	const [command = "", ...rest] = onCores(cores, cores.server, [
		process.execPath,
		"--expose-gc",
		program,
		...words,
	]);
	const { stdout } = await run(command, rest, { timeout: msMax });
	return JSON.parse(stdout) as T;
}
