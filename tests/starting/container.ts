import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Image } from "./image.ts";

/**
 * A container's process without the container: the same command and no variable but its own and Node's
 * compile cache.
 */
export type Container = {
	/** Its output so far. */
	said(): string;
	/** Its exit code, or the signal that ended it. Throws when it has not ended after `seconds`. */
	untilEnded(seconds: number): Promise<number | string>;
	/**
	 * Resolves when `url` answers 200. Throws with what the process said when it ends first, or after two
	 * minutes.
	 */
	untilReady(url: string): Promise<void>;
	stop(): void;
	kill(): void;
};

export type Running = { command?: readonly string[]; environment: Record<string, string>; input?: string };

/** Long, for a machine that does much else. */
const readyMs = 120_000;

/** Runs what `image` runs, with compose's command in place of its own. */
export function runContainer(image: Image, { command, environment, input }: Running): Container {
	const [, ...words] = [...image.entrypoint, ...(command ?? image.cmd)];
	const child = spawn(process.execPath, words, {
		cwd: image.folder,
		env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...environment },
		stdio: ["pipe", "pipe", "pipe"],
	});
	child.stdin.end(input ?? "");
	let text = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (chunk) => {
			text = `${text}${chunk}`.slice(-20_000);
		});
	const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
	const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
	return {
		said: () => text,
		async untilEnded(seconds) {
			const late = sleep(seconds * 1_000, undefined, { ref: false });
			const code = await Promise.race([ended, late]);
			if (code === undefined) throw new Error(`it has not ended after ${seconds} s: ${text}`);
			return code;
		},
		async untilReady(url) {
			const endAt = Date.now() + readyMs;
			while (!(await answers(url))) {
				if (hasEnded() || Date.now() > endAt) throw new Error(`${url} does not answer 200: ${text}`);
				await sleep(100);
			}
		},
		stop: () => void child.kill("SIGTERM"),
		kill: () => killIfRuns(child),
	};
}

function killIfRuns(child: ChildProcess): void {
	if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}

async function answers(url: string): Promise<boolean> {
	const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
	await answer?.arrayBuffer();
	return answer?.status === 200;
}
