import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "@lango/chassis";
import type { Stopping } from "./stopping.ts";

const root = resolve(import.meta.dirname, "../..");
/**
 * The flags of a service's process, here, in benches and in a deployment. By default the engine lets
 * short-lived objects grow to many tens of megabytes before it collects them.
 */
export const nodeFlags = ["--max-semi-space-size=8"];
const readyMsMax = 60_000;
const stopMsMax = 15_000;

export type ServiceProcess = {
	name: string;
	/** The address that it will listen on. */
	url: string;
	environment: Environment;
	stopping: Stopping;
	say: (line: string) => void;
};

/**
 * Starts a service in its own process and waits until it is ready. It stops when this process ends for any
 * reason. Throws an Error that names the service if it exits early or is not ready within a minute.
 */
export async function startServiceProcess({
	name,
	url,
	environment,
	stopping,
	say,
}: ServiceProcess): Promise<void> {
	const child = spawn(process.execPath, [...nodeFlags, join(root, "services", name, "src/main.ts")], {
		env: { ...environment },
		// The service notices by the closed channel that this process has ended.
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	stopping.onStop(() => end(child));
	const exited = once(child, "exit").then(([code, signal]) => {
		if (stopping.signal.aborted) return;
		say(`${name} has ended (${signal ?? code}).`);
	});
	const endAt = Date.now() + readyMsMax;
	for (;;) {
		stopping.signal.throwIfAborted();
		if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} did not start.`);
		const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(
			() => undefined,
		);
		if (answer?.ok === true) return;
		if (Date.now() > endAt) throw new Error(`${name} was not ready within ${readyMsMax / 1_000} s.`);
		await Promise.race([sleep(100), exited]);
	}
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, "exit");
	child.kill("SIGTERM");
	const late = setTimeout(() => child.kill("SIGKILL"), stopMsMax);
	await exited;
	clearTimeout(late);
}
