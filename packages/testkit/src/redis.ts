import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "./free-port.ts";

/** A Redis (or Valkey) server of one test file, on a free port, that keeps nothing. */
export type TestRedis = {
	url: string;
	/** Ends it as a crash would. */
	kill(): Promise<void>;
	/** Starts it again, empty, on the same port. */
	restart(): Promise<void>;
	/** Lets it hang: it is there, takes connections, and says nothing. */
	freeze(): void;
	thaw(): void;
	stop(): Promise<void>;
};

const startMsMax = 10_000;
const programs = ["redis-server", "valkey-server"] as const;
const program = () => programs.find((one) => spawnSync(one, ["--version"], { stdio: "ignore" }).status === 0);

/** Whether there is a `redis-server` or `valkey-server` on the path. */
export function hasRedis(): boolean {
	return program() !== undefined;
}

/** Starts a server. Throws an Error when there is none on the path or it does not answer. */
export async function startTestRedis(): Promise<TestRedis> {
	const command = program();
	if (command === undefined) throw new Error("there is no redis-server and no valkey-server on the path");
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
