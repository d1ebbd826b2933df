import { Worker } from "node:worker_threads";
import { type Fault, fault } from "../findings/finding.ts";
import { mjmlFault } from "./mjml-fault.ts";
import type { MjmlAnswer } from "./mjml-worker.ts";

/** Limits of the thread that compiles MJML. An idle thread ends. */
const defaultLimits = { timeoutMs: 5_000, memoryMb: 128, idleMs: 10_000 };
/** Loading the compiler takes time of its own. */
const loadMs = 10_000;
const waitingMax = 200;

type MjmlResult = { html: string } | { problems: readonly Fault[] };
export type CompileMjml = (source: string) => Promise<MjmlResult>;

/**
 * Opens a compiler of MJML that works in a thread, one document after the other. A document that exceeds the
 * limits ends the thread, not the process, and the next document gets a new one.
 */
export function openMjml(limits: Partial<typeof defaultLimits> = {}): CompileMjml {
	const { timeoutMs, memoryMb, idleMs } = { ...defaultLimits, ...limits };
	let worker: Worker | undefined;
	let last: Promise<unknown> = Promise.resolve();
	let waiting = 0;
	let idle: NodeJS.Timeout | undefined;

	const end = (ended: Worker | undefined) => {
		if (worker === ended) worker = undefined;
		void ended?.terminate();
	};
	const start = async (): Promise<Worker> => {
		const started = new Worker(new URL("./mjml-worker.ts", import.meta.url), {
			resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: memoryMb / 4 },
			env: {},
			stdout: true,
			stderr: true,
		});
		started.unref();
		worker = started;
		return started;
	};
	const compile = async (source: string): Promise<MjmlResult> => {
		clearTimeout(idle);
		const isLoaded = worker !== undefined;
		const used = worker ?? (await start());
		const result = await ask(used, source, timeoutMs + (isLoaded ? 0 : loadMs));
		if (result === undefined) end(used);
		idle = setTimeout(() => end(worker), idleMs).unref();
		if (result === undefined) return { problems: [fault("compile_limit", { ms: timeoutMs, mb: memoryMb })] };
		return "html" in result ? { html: result.html } : { problems: result.errors.map(mjmlFault) };
	};
	return async (source) => {
		if (waiting >= waitingMax) return { problems: [fault("compile_busy")] };
		waiting += 1;
		const result = last.then(() => compile(source));
		last = result.catch(() => undefined).finally(() => (waiting -= 1));
		return result;
	};
}

let nextId = 0;

/** Asks a thread to compile a document; undefined if it did not answer in time or ended. */
async function ask(worker: Worker, source: string, timeoutMs: number): Promise<MjmlAnswer | undefined> {
	const id = ++nextId;
	return new Promise((resolve) => {
		const settle = (result: MjmlAnswer | undefined) => {
			clearTimeout(timer);
			worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
			resolve(result);
		};
		const onMessage = (answer: MjmlAnswer) => {
			if (answer.id === id) settle(answer);
		};
		const onEnd = () => settle(undefined);
		const timer = setTimeout(onEnd, timeoutMs);
		worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
		worker.postMessage({ id, source });
	});
}

/** The compiler of this process. */
export const compileMjml: CompileMjml = openMjml();
