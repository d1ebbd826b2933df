import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type Cores, onCores } from "./cores.ts";
import type { Drive, Job, Prepare, RefreshEach, Sample } from "./driver-process.ts";
import type { Outcome } from "./load.ts";
import { stopChild } from "./processes.ts";

/** The driver process. It runs one job at a time; a job rejects at the first wrong response. */
export type Driver = {
	pid: number;
	prepare(job: Omit<Prepare, "kind">): Promise<Sample>;
	/** Returns one outcome per stream. */
	drive(job: Omit<Drive, "kind">): Promise<Outcome[]>;
	refreshEach(job: Omit<RefreshEach, "kind">): Promise<number>;
	stop(): Promise<void>;
};

export function startDriver(cores: Cores): Driver {
	const { child, ask } = startWorker("driver-process.ts", cores, cores.rest);
	const give = async <T>(job: Job) => {
		const { result, error } = await ask<{ result: T; error?: string }>(job);
		if (error !== undefined) throw new Error(error);
		return result;
	};
	return {
		pid: child.pid ?? 0,
		prepare: (job) => give({ kind: "prepare", ...job }),
		drive: (job) => give({ kind: "drive", ...job }),
		refreshEach: (job) => give({ kind: "refresh-each", ...job }),
		stop: () => stopChild(child),
	};
}

/** Starts a process of this folder that responds to each message with one message. */
export function startWorker(program: string, cores: Cores, on: string) {
	const [command = "", ...words] = onCores(cores, on, [process.execPath, join(import.meta.dirname, program)]);
	const child: ChildProcess = spawn(command, words, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
	const ask = <T>(message: object) =>
		new Promise<T>((done, fail) => {
			const ended = () => fail(new Error(`${program} ended`));
			child.once("exit", ended);
			child.once("message", (answer) => {
				child.off("exit", ended);
				done(answer as T);
			});
			child.send(message);
		});
	return { child, ask };
}
