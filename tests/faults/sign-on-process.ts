import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mintApiKey } from "@lango/tokens";

const root = join(import.meta.dirname, "../..");

/** The sign-on service as a program of its own, to be killed and started again on the same database. */
export type SignOnProcess = {
	url: string;
	start(): Promise<void>;
	kill(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
};

/** Prepares the program; `subscriptionsUrl` may be an unused address. */
export function signOnProcess(given: {
	databaseUrl: string;
	port: number;
	subscriptionsUrl: string;
}): SignOnProcess {
	const url = `http://localhost:${given.port}`;
	const environment = {
		...process.env,
		AUTH_DATABASE_URL: given.databaseUrl,
		AUTH_PORT: `${given.port}`,
		AUTH_URL: url,
		LOG_LEVEL: "silent",
		SUBSCRIPTIONS_URL: given.subscriptionsUrl,
		AUTH_SNAPSHOT_READ_KEY: mintApiKey().text,
		LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
	};
	let child: ChildProcess | undefined;
	return {
		url,
		async start() {
			child = spawn(process.execPath, [join(root, "services/auth/src/main.ts")], {
				env: environment,
				stdio: "inherit",
			});
			await becomes(url, 200);
		},
		async kill(signal) {
			const running = child;
			child = undefined;
			if (running === undefined || running.exitCode !== null) return;
			const ended = once(running, "exit");
			running.kill(signal);
			await ended;
		},
	};
}

/** Waits until the service says it is ready, or that it is not. Throws when it does not come to that. */
export async function becomes(url: string, status: number): Promise<void> {
	for (let turn = 0; turn < 600; turn += 1) {
		const answer = await fetch(`${url}/readyz`).catch(() => undefined);
		await answer?.arrayBuffer();
		if (answer?.status === status) return;
		await sleep(100);
	}
	throw new Error(`${url}/readyz did not come to ${status} within 60 seconds`);
}
