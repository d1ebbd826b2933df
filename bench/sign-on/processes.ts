import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { type Cores, onCores } from "./cores.ts";

const root = join(import.meta.dirname, "../..");
const logs = join(root, ".lango/bench");
/** The folder of processor profiles, which Chromium's developer tools read. */
export const profiles = join(logs, "profiles");
const startSecondsMax = 60;
const stopSecondsMax = 15;

/** A running server. */
export type Running = { url: string; pid: number; stop(): Promise<void> };

export type ServerOptions = {
	name: string;
	/** Its program, relative to the root of the repository. */
	program: string;
	/** Returns 200 when the server is ready. */
	readyPath: string;
	/** Its environment variables, by its port and URL. */
	environment: (at: { port: number; url: string }) => Record<string, string>;
	cores: Cores;
	on: string;
	/** Writes a processor profile when it stops. */
	isProfiled?: boolean;
	/** Node's flags; those of services by default for a program of a service. */
	flags?: readonly string[];
	/** Discards its standard output: for servers that log each request. */
	isMuted?: boolean;
};

/**
 * Starts a server in its own process and waits until it is ready. Throws an Error with the end of its log.
 */
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
		await waitUntilReady(child, `${url}${readyPath}`);
	} catch (cause) {
		await stop();
		throw new Error(`${name} did not start:\n${readFileSync(log, "utf8").slice(-2_000)}`, { cause });
	}
	return { url, pid: child.pid ?? 0, stop };
}

async function waitUntilReady(child: ChildProcess, address: string): Promise<void> {
	const end = Date.now() + startSecondsMax * 1_000;
	while (Date.now() < end && child.exitCode === null && child.signalCode === null) {
		const response = await fetch(address, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
		await response?.arrayBuffer();
		if (response?.ok) return;
		await sleep(100);
	}
	throw new Error(`no response from ${address}`);
}

/** Terminates a process and waits for its end. Kills it if it does not end in time. */
export async function stopChild(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = new Promise((done) => child.once("exit", done));
	child.kill("SIGTERM");
	const cut = setTimeout(() => child.kill("SIGKILL"), stopSecondsMax * 1_000);
	await ended;
	clearTimeout(cut);
}

/** The resident memory of a process in MB (10⁶ bytes): now and at its peak. */
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
