import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "./free-port.ts";

/** A NATS server for one test file, on a free port with its own store. */
export type TestBus = {
	url: string;
	/** Kills the server. */
	kill(): Promise<void>;
	/** Starts the server again, with the same port and store. */
	restart(): Promise<void>;
	/** Deletes the store while the server is down. */
	forget(): Promise<void>;
	stop(): Promise<void>;
};

const startMsMax = 10_000;

/** Whether `nats-server` is on the path. */
export function hasBus(): boolean {
	return spawnSync("nats-server", ["--version"], { stdio: "ignore" }).status === 0;
}

/**
 * Starts a NATS server with JetStream, with additional configuration lines. Throws an Error if it is not on
 * the path or does not respond.
 */
export async function startTestBus(configuration = ""): Promise<TestBus> {
	const store = await mkdtemp(join(tmpdir(), "lango-nats-"));
	const port = await findFreePort();
	let server: ChildProcess | undefined;
	const start = async () => {
		const file = join(store, "server.conf");
		await mkdir(store, { recursive: true }); // `forget` has deleted it.
		await writeFile(file, configuration);
		const words = ["-c", file, "-a", "127.0.0.1", "-p", String(port), "-js", "-sd", store];
		const child = spawn("nats-server", words, { stdio: "ignore" });
		await once(child, "spawn");
		server = child;
		const endAt = Date.now() + startMsMax;
		while (!(await answers(port))) {
			if (Date.now() > endAt || child.exitCode !== null)
				throw new Error("nats-server did not start: is the port taken, is it 2.9 or later?");
			await sleep(20);
		}
	};
	const end = async (signal: NodeJS.Signals) => {
		const child = server;
		server = undefined;
		if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
		const exited = once(child, "exit");
		child.kill(signal);
		await exited;
	};
	await start();
	return {
		url: `nats://127.0.0.1:${port}`,
		kill: () => end("SIGKILL"),
		restart: start,
		forget: () => rm(store, { recursive: true, force: true }),
		async stop() {
			await end("SIGTERM");
			await rm(store, { recursive: true, force: true });
		},
	};
}

/** Whether JetStream is ready: the server sends INFO on its protocol, then PONG. */
function answers(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1");
		const end = (isThere: boolean) => {
			socket.destroy();
			resolve(isThere);
		};
		socket.setTimeout(1_000, () => end(false));
		socket.on("error", () => end(false));
		socket.on("data", (data) => end(String(data).includes('"jetstream":true')));
	});
}
