import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { nodeFlags } from "../../../tools/up/service-process.ts";
import { runMsOf } from "../../sign-on/cores.ts";
import { profiles, stopChild } from "../../sign-on/processes.ts";
import type { Slice, Sliced } from "./answer-slices.ts";

const root = join(import.meta.dirname, "../../..");

/** The result of a slice; processor times are per transaction, in milliseconds. */
export type Measured = { perSecond: number; serviceMs: number; databaseMs: number };

/** A process that runs one kind of transaction. */
export type TransactionProcess = { run(slice: Slice): Promise<Measured>; stop(): Promise<void> };

export type TransactionOptions = {
	/** Its program, relative to the root of the repository, and its arguments. */
	program: string;
	words: readonly string[];
	/** The process id of PostgreSQL's main process. */
	databasePid: number;
	/** The file name of its processor profile; undefined without a profile. */
	profile: string | undefined;
};

/**
 * Starts the process and waits until it is ready. Throws an Error if the process ends unexpectedly, now or
 * later.
 */
export async function startTransactions({
	program,
	words,
	databasePid,
	profile,
}: TransactionOptions): Promise<TransactionProcess> {
	const preload = join(import.meta.dirname, "leave-out.ts");
	const profiling =
		profile === undefined
			? []
			: ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${profile}.cpuprofile`];
	const child = fork(join(root, program), [...words], {
		cwd: root,
		execArgv: [...nodeFlags, ...profiling, "--import", preload],
		env: { PATH: process.env["PATH"], NODE_ENV: "production" },
	});
	await answerOf(child, program);
	return {
		async run(slice) {
			const before = runMsOf(databasePid);
			const answered = answerOf(child, program);
			child.send(slice);
			const { transactions, ms, processorMs } = (await answered) as Sliced;
			const databaseMs = runMsOf(databasePid) - before;
			if (transactions === 0) throw new Error(`${program} ended no transaction in ${slice.ms} ms`);
			const restored = answerOf(child, program);
			child.send("restore");
			await restored;
			return {
				perSecond: (transactions * 1_000) / ms,
				serviceMs: processorMs / transactions,
				databaseMs: databaseMs / transactions,
			};
		},
		stop: async () => {
			// The process ends when its channel closes, so that it writes its profile.
			if (child.connected) child.disconnect();
			await Promise.race([once(child, "exit"), new Promise((done) => setTimeout(done, 2_000).unref())]);
			await stopChild(child);
		},
	};
}

async function answerOf(child: ChildProcess, program: string): Promise<unknown> {
	const waiting = new AbortController();
	const { signal } = waiting;
	try {
		const [answer] = await Promise.race([
			once(child, "message", { signal }),
			once(child, "exit", { signal }).then(() => {
				throw new Error(`${program} has ended`);
			}),
		]);
		return answer;
	} finally {
		waiting.abort();
	}
}
