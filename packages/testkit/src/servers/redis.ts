import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "./free-port.ts";

/** A Redis or Valkey server for one test file, on a free port, without persistence. */
export type TestRedis = {
	url: string;
	/** Kills the server. */
	kill(): Promise<void>;
	/** Starts the server again, empty, on the same port. */
	restart(): Promise<void>;
	/** Suspends the server: it accepts connections and does not respond. */
	freeze(): void;
	thaw(): void;
	stop(): Promise<void>;
};

const startMsMax = 10_000;
const programs = ["redis-server", "valkey-server"] as const;
const program = () => programs.find((one) => spawnSync(one, ["--version"], { stdio: "ignore" }).status === 0);

/** Whether `redis-server` or `valkey-server` is on the path. */
export function hasRedis(): boolean {
	return program() !== undefined;
}

/** Starts a server. Throws an Error if it is not on the path or does not respond. */
export async function startTestRedis(): Promise<TestRedis> {
	const command = program();
	if (command === undefined) throw new Error("neither redis-server nor valkey-server is on the path");
	const port = await findFreePort();
	let server: ChildProcess | undefined;
	const start = async () => {
		const words = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
		const child = spawn(command, words, { stdio: "ignore" });
		await once(child, "spawn");
		server = child;
		const endAt = Date.now() + startMsMax;
		while (!(await answers(port))) {
			if (Date.now() > endAt || child.exitCode !== null) throw new Error(`${command} did not start`);
			await sleep(20);
		}
	};
	const end = async () => {
		const child = server;
		server = undefined;
		if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
		const exited = once(child, "exit");
		child.kill("SIGKILL");
		await exited;
	};
	await start();
	return {
		url: `redis://127.0.0.1:${port}`,
		kill: end,
		restart: start,
		freeze: () => void server?.kill("SIGSTOP"),
		thaw: () => void server?.kill("SIGCONT"),
		stop: end,
	};
}

function answers(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
		const end = (isThere: boolean) => {
			socket.destroy();
			resolve(isThere);
		};
		socket.setTimeout(1_000, () => end(false));
		socket.on("error", () => end(false));
		socket.on("data", (data) => end(String(data).startsWith("+PONG")));
	});
}
