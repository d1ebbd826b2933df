import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { median, spreadOf } from "../figures.ts";
import { onCores } from "../sign-on/cores.ts";
import { type Section, table } from "../sign-on/report.ts";
import type { Measured, Stage } from "./stage.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "alone-process.ts");
const msMax = 10 * 60_000;

/** A token nobody has seen: by the verifier alone, and over HTTP one after the other. */
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
		title: "A token seen for the first time",
		text: `${table(["", "p50 ms", "p99 ms"], [row("the verifier alone", alone), row("a whole request, one at a time", over)])}

${count} different tokens a run, ES256, of ${alone[0]?.bytes ?? 0} bytes.`,
		verdicts: [
			{
				what: "First sight of a token, p50",
				figure: `${p50.middle.toFixed(2)} ms (${p50.least.toFixed(2)}–${p50.most.toFixed(2)})`,
				target: "≤ 1 ms",
				isReached: p50.middle <= 1,
				ifNot: "Most of it is the signature, which OpenSSL checks.",
			},
		],
	};
}

/** Whether somebody may do something, by what they hold. */
export async function measureDecision(stage: Stage): Promise<Section> {
	const all: Array<{ ns: number; held: number }> = [];
	for (let at = 0; at < stage.options.runs; at += 1) all.push(await measure(stage, ["decision"]));
	const ns = spreadOf(all.map((one) => one.ns));
	const figure = `${ns.middle.toFixed(0)} ns (${ns.least.toFixed(0)}–${ns.most.toFixed(0)})`;
	return {
		title: "A permission decision",
		text: `${figure} of the processor each, by somebody who holds ${all[0]?.held ?? 0} permissions; allowed directly, by another action, and refused, in turn.`,
		verdicts: [
			{ what: "A permission decision", figure, target: "< 1 µs", isReached: ns.middle < 1_000, ifNot: "" },
		],
	};
}

/** What full caches take. */
export async function measureCaches(stage: Stage): Promise<Section> {
	const { people, tenants } = stage.options;
	const { mb, tokenBytes } = await measure<{ mb: number; tokenBytes: number }>(stage, [
		"caches",
		String(people),
		String(tenants),
	]);
	return {
		title: "Full caches",
		text: `${mb.toFixed(0)} MB of the heap after it was swept, with ${people} people and their verified tokens (of ${tokenBytes} bytes each), ${tenants} tenants and their subscriptions. Whatever comes beyond that is in place of the oldest.`,
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
