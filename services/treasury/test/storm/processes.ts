import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeFlags } from "../../../../tools/up/service-process.ts";

/** What a program used: processor time, and memory now and at most. */
export type Used = { processorSeconds: number; memoryMb: number; memoryMaxMb: number };

type Options = {
	/** A file of this folder. */
	program: string;
	/** The environment of each start. */
	environment: () => Readonly<Record<string, string>>;
	/** What it says goes to the end of this file. */
	log: string;
};

/** A program of the storm that can be killed and started again. */
export type Program = {
	/** Starts it. Resolves with the first message that it sends. */
	start(): Promise<unknown>;
	/** Ends it as a crash would. */
	kill(): Promise<void>;
	/** Sends a message, and waits for the answer. Without a running process it does nothing. */
	send(message: object): Promise<void>;
	isRunning(): boolean;
	/** What all of its processes used. */
	used(): Used;
};

const nothing: Used = { processorSeconds: 0, memoryMb: 0, memoryMaxMb: 0 };

/** Prepares a program, which is not started yet. */
export function programOf({ program, environment, log }: Options): Program {
	let child: ChildProcess | undefined;
	let before = nothing;
	const used = () => add(before, child?.pid === undefined ? nothing : usedBy(child.pid));
	return {
		used,
		isRunning: () => child !== undefined,
		async start() {
			const output = openSync(log, "a", 0o600);
			const started = fork(join(import.meta.dirname, program), {
				...{ execArgv: nodeFlags, env: { ...environment() }, stdio: ["ignore", output, output, "ipc"] },
			});
			closeSync(output);
			const ended = once(started, "exit").then(([code]) => {
				throw new Error(`${program} ended with ${code}; see ${log}`);
			});
			const [message] = await Promise.race([once(started, "message"), ended]);
			ended.catch(() => undefined);
			child = started;
			return message;
		},
		async kill() {
			const ending = child;
			if (ending === undefined) return;
			before = { ...used(), memoryMb: 0 };
			child = undefined;
			const ended = once(ending, "exit");
			ending.kill("SIGKILL");
			await ended;
		},
		async send(message) {
			if (child === undefined) return;
			const answered = once(child, "message");
			child.send(message);
			await answered;
		},
	};
}

const add = (one: Used, other: Used): Used => ({
	processorSeconds: one.processorSeconds + other.processorSeconds,
	memoryMb: other.memoryMb,
	memoryMaxMb: Math.max(one.memoryMaxMb, other.memoryMaxMb),
});

/** Ticks of the processor time of Linux. */
const ticksPerSecond = 100;

/** Reads what a process used until now (Linux). */
function usedBy(pid: number): Used {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	const megabytes = (name: string) =>
		Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
	return {
		processorSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
		memoryMb: megabytes("VmRSS"),
		memoryMaxMb: megabytes("VmHWM"),
	};
}
