import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeFlags } from "../../tools/up/service-process.ts";

const root = join(import.meta.dirname, "../..");
const readyMsMax = 60_000;
const stopMsMax = 20_000;

/** One of the processes of a service, run as a deployment runs it. */
export type Replica = {
	name: string;
	url: string;
	/** Starts it and waits until it says that it is ready. */
	start(): Promise<void>;
	/** Ends it as a crash would. */
	kill(): Promise<void>;
	/** Sends SIGTERM; returns the exit code, 0 after draining. Throws if it does not end within 20 s. */
	stop(): Promise<number | string>;
};

export type ReplicaOptions = {
	service: string;
	port: number;
	environment: NodeJS.ProcessEnv;
	/** What it says goes to the end of this file. */
	log: string;
};

export function replicaOf({ service, port, environment, log }: ReplicaOptions): Replica {
	const prefix = service.toUpperCase();
	const url = `http://127.0.0.1:${port}`;
	const env = { ...environment, [`${prefix}_PORT`]: `${port}`, [`${prefix}_HOST`]: "127.0.0.1" };
	let child: ChildProcess | undefined;
	const end = async (signal: NodeJS.Signals): Promise<number | string> => {
		const ending = child;
		child = undefined;
		if (ending === undefined || hasEnded(ending)) return "not running";
		const ended = once(ending, "exit");
		ending.kill(signal);
		const late = setTimeout(() => ending.kill("SIGKILL"), stopMsMax);
		const [code, by] = await ended;
		clearTimeout(late);
		return code ?? by;
	};
	return {
		name: `${service} at ${port}`,
		url,
		async start() {
			const output = openSync(log, "a", 0o600);
			const program = join(root, "services", service, "src/main.ts");
			// The channel ends it with this process, however this one ends.
			const stdio = ["ignore", output, output, "ipc"] as const;
			child = spawn(process.execPath, [...nodeFlags, program], { env, stdio: [...stdio] });
			closeSync(output);
			await becomesReady(child, url, log);
		},
		kill: async () => void (await end("SIGKILL")),
		async stop() {
			const how = await end("SIGTERM");
			if (how === "SIGKILL") throw new Error(`${service} at ${port} did not stop; see ${log}`);
			return how;
		},
	};
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function becomesReady(child: ChildProcess, url: string, log: string): Promise<void> {
	const endAt = Date.now() + readyMsMax;
	for (;;) {
		if (hasEnded(child)) throw new Error(`the process at ${url} ended; see ${log}`);
		if (Date.now() > endAt) throw new Error(`the process at ${url} is not ready; see ${log}`);
		const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch(
			() => undefined,
		);
		await answer?.arrayBuffer();
		if (answer?.status === 200) return;
		await sleep(50);
	}
}
