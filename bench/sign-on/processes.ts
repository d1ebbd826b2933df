import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { type Cores, onCores } from "./cores.ts";

const root = join(import.meta.dirname, "../..");
const logs = join(root, ".lango/bench");
/** Where processor profiles go; Chromium's developer tools read them. */
export const profiles = join(logs, "profiles");
const startSecondsMax = 60;
const stopSecondsMax = 15;

/** A server under measurement: where it answers, and how to stop it. */
export type Running = { url: string; pid: number; stop(): Promise<void> };

export type ServerOptions = {
	name: string;
	/** Its program, from the root of the repository. */
	program: string;
	/** Answers 200 as soon as it can work. */
	readyPath: string;
	/** What it is told, besides where to listen. */
	environment: (at: { port: number; url: string }) => Record<string, string>;
	cores: Cores;
	on: string;
	/** Writes a profile of its processor time when it stops. */
	isProfiled?: boolean;
	/** What Node is told, where it is not the program of a service. */
	flags?: readonly string[];
	/** What it says on standard output goes nowhere: for servers that log each request. */
	isMuted?: boolean;
};

/** Starts a server in a process of its own and waits until it answers. Throws an Error with the end of what it said. */
export async function startServer(options: ServerOptions): Promise<Running> {
	const { name, program, readyPath, environment, cores, on, isProfiled = false, isMuted = false } = options;
	const port = await findFreePort();
	const url = `http://localhost:${port}`;
	mkdirSync(logs, { recursive: true });
	const file = name.replaceAll(/[^\w-]+/g, "_");
	const log = join(logs, `${file}.log`);
	const output = openSync(log, "w");
	const profile = isProfiled
		? ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${file}.cpuprofile`]
		: [];
	const { flags = program.startsWith("services/") ? nodeFlags : [] } = options;
	const words = [process.execPath, ...flags, ...profile, join(root, program)];
	const [command = "", ...rest] = onCores(cores, on, words);
	const child = spawn(command, rest, {
		cwd: root,
		env: { PATH: process.env["PATH"], NODE_ENV: "production", ...environment({ port, url }) },
		stdio: ["ignore", isMuted ? "ignore" : output, output],
	});
	closeSync(output);
	const stop = () => stopChild(child);
	try {
		await answers(child, `${url}${readyPath}`);
	} catch (cause) {
		await stop();
		throw new Error(`${name} did not start:\n${readFileSync(log, "utf8").slice(-2_000)}`, { cause });
	}
	return { url, pid: child.pid ?? 0, stop };
}

async function answers(child: ChildProcess, address: string): Promise<void> {
	const end = Date.now() + startSecondsMax * 1_000;
	while (Date.now() < end && child.exitCode === null && child.signalCode === null) {
		const response = await fetch(address, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
		await response?.arrayBuffer();
		if (response?.ok) return;
		await sleep(100);
	}
	throw new Error(`no answer from ${address}`);
}

/** Ends a process and waits for its end; one that does not heed is killed. */
export async function stopChild(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = new Promise((done) => child.once("exit", done));
	child.kill("SIGTERM");
	const cut = setTimeout(() => child.kill("SIGKILL"), stopSecondsMax * 1_000);
	await ended;
	clearTimeout(cut);
}

/** Memory of a process in MB (10⁶ bytes), as the system counts it: now, and the most it ever had. */
export function memoryOf(pid: number): { nowMb: number; peakMb: number } {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	const read = (name: string) =>
		(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1_024) / 1e6;
	return { nowMb: read("VmRSS"), peakMb: read("VmHWM") };
}

function findFreePort(): Promise<number> {
	const server = createServer();
	return new Promise((done, fail) => {
		server.once("error", fail);
		server.listen(0, "localhost", () => {
			const address = server.address();
			server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
		});
	});
}
