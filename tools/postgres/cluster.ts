import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { environment, initialise, keepPassword, superuser } from "./initialise.ts";
import { findPostmaster, readPostmaster, settleLeftover, stopPostmaster } from "./leftover.ts";
import { readIfThere } from "./process.ts";
import { type Binaries, chooseRunner, placeBinaries, placeData, type Runner, removeData } from "./runner.ts";

/** A PostgreSQL of our own: the address of its superuser, and how to stop it. */
export type Cluster = { adminUrl: string; pid: number; stop: () => Promise<void> };

/**
 * `path` is the data folder (its password and log lie beside it), `settings` are PostgreSQL's own. The server
 * ends with this process, a thrown error included, unless it `outlivesUs` because others use it too.
 */
export type ClusterOptions = {
	path: string;
	settings?: Record<string, string>;
	signal: AbortSignal;
	outlivesUs?: boolean;
};

const startSecondsMax = 120;
const attemptsMax = 20;

/**
 * Starts PostgreSQL 18 on the data folder `path`, which is made first when it is not there; what a killed run
 * left running on it is stopped. The server has a process group of its own, listens on 127.0.0.1 only, on the
 * port of its last start if that is free, and logs to `<path>.log`. An aborted signal stops it and rejects
 * with the signal's reason.
 */
export async function startCluster({
	path,
	settings = {},
	signal,
	outlivesUs = false,
}: ClusterOptions): Promise<Cluster> {
	signal.throwIfAborted();
	mkdirSync(dirname(path), { recursive: true });
	const runner = chooseRunner(path);
	const data = placeData(join(realpathSync(dirname(path)), basename(path)), runner);
	const binaries = await placeBinaries(data, runner);
	await settleLeftover(data);
	signal.throwIfAborted();

	const passwordFile = `${path}.password`;
	const hasData = existsSync(join(data, "PG_VERSION"));
	if (hasData) checkData(data, { binaries, passwordFile });
	const password = keepPassword(passwordFile);
	await initialise({ data, passwordFile, binaries, runner, signal });

	const server = {
		data,
		log: `${path}.log`,
		portFile: `${path}.port`,
		program: binaries.postgres,
		runner,
		settings,
		signal,
	};
	const { pid, port, letLive } = await startServer(server);
	if (outlivesUs) letLive();
	return { adminUrl: addressOf(port, password), pid, stop: () => stopPostmaster(pid) };
}

/** Removes a cluster and all its data; what a killed run left running on it is stopped first. */
export async function removeCluster(path: string): Promise<void> {
	if (existsSync(path)) await settleLeftover(realpathSync(path));
	removeData(path);
}

/**
 * The cluster that runs on a data folder, which another process may have started; `stop` stops it for all.
 */
export function findCluster(path: string): Cluster | undefined {
	if (!existsSync(path)) return undefined;
	const postmaster = findPostmaster(realpathSync(path));
	const password = readIfThere(`${path}.password`)?.trim();
	if (!postmaster?.isReady || password === undefined) return undefined;
	const { port, pid } = postmaster;
	return { adminUrl: addressOf(port, password), pid, stop: () => stopPostmaster(pid) };
}

const addressOf = (port: number, password: string) =>
	`postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`;

/** Data we cannot use is said so at once, instead of by a log the reader has to find. */
function checkData(
	data: string,
	{ binaries, passwordFile }: { binaries: Binaries; passwordFile: string },
): void {
	const made = readIfThere(join(data, "PG_VERSION"))?.trim();
	const wanted = /(\d+)\.\d+/.exec(binaries.version)?.[1];
	if (made !== wanted) {
		throw new Error(
			`The data in ${data} is of PostgreSQL ${made}, not ${wanted}. Start again: npm start -- --fresh`,
		);
	}
	if (readIfThere(passwordFile) === undefined) {
		throw new Error(`The password of ${data} is gone (${passwordFile}). Start again: npm start -- --fresh`);
	}
}

type Server = {
	data: string;
	log: string;
	/** Keeps the port, so that the address of the database stays the same after a restart. */
	portFile: string;
	program: string;
	runner: Runner;
	settings: Record<string, string>;
	signal: AbortSignal;
};

type Started = { pid: number; port: number; letLive: () => void };

/** Tries again when the port was taken meanwhile, or when the last server's children are not all gone yet. */
async function startServer(server: Server): Promise<Started> {
	for (let attempt = 1; ; attempt += 1) {
		const port = attempt === 1 ? await choosePort(server) : await findFreePort();
		const child = spawnServer(server, port);
		const letLive = endWithUs(child);
		if (await becomesReady(child, server)) {
			writeFileSync(server.portFile, String(port));
			return { pid: child.pid ?? 0, port, letLive };
		}
		const said = readIfThere(server.log) ?? "";
		const mayPass = /could not bind|pre-existing shared memory|still in use/.test(said);
		if (!mayPass || attempt === attemptsMax) {
			throw new Error(
				`PostgreSQL did not start. The end of its log, ${server.log}:\n${said.trim().slice(-2_000)}`,
			);
		}
		await setTimeout(250, undefined, { signal: server.signal });
	}
}

function spawnServer({ data, log, program, runner, settings }: Server, port: number): ChildProcess {
	const own = {
		listen_addresses: "127.0.0.1",
		unix_socket_directories: "",
		port: String(port),
		max_connections: "300",
	};
	const flags = Object.entries({ ...own, ...settings }).flatMap(([name, value]) => [
		"-c",
		`${name}=${value}`,
	]);
	const output = openSync(log, "w", 0o600);
	const options = { ...runner, cwd: "/", env: environment(), detached: true };
	const child = spawn(program, ["-D", data, ...flags], { ...options, stdio: ["ignore", output, output] });
	closeSync(output);
	child.unref();
	return child;
}

/** Whatever ends this process, a thrown error too, ends the server, until the returned function is called. */
function endWithUs(child: ChildProcess): () => void {
	const end = () => child.kill("SIGINT");
	const letLive = () => process.off("exit", end);
	process.on("exit", end);
	child.once("exit", letLive);
	return letLive;
}

/** True when the server takes connections, false when it has ended instead. */
async function becomesReady(child: ChildProcess, { data, signal }: Server): Promise<boolean> {
	let failure: Error | undefined;
	child.once("error", (error) => {
		failure = error;
	});
	const end = Date.now() + startSecondsMax * 1000;
	while (!signal.aborted && Date.now() < end) {
		if (failure !== undefined) throw failure;
		if (child.exitCode !== null || child.signalCode !== null) return false;
		const postmaster = readPostmaster(data);
		if (postmaster?.pid === child.pid && postmaster?.isReady) return true;
		await setTimeout(20);
	}
	await stopChild(child);
	signal.throwIfAborted();
	throw new Error(
		`PostgreSQL was not ready after ${startSecondsMax} seconds. Start again when the machine is less busy, or set DATABASE_URL to another PostgreSQL.`,
	);
}

async function stopChild(child: ChildProcess): Promise<void> {
	if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
	await stopPostmaster(child.pid);
}

/** The port of the last start if it is free, else another one. */
async function choosePort({ portFile }: Server): Promise<number> {
	const last = Number(readIfThere(portFile));
	const isPort = Number.isInteger(last) && last > 0 && last < 65_536;
	return isPort ? findFreePort(last).catch(() => findFreePort()) : findFreePort();
}

/** Returns `wanted`, or any free port if it is 0. Rejects if `wanted` is in use. */
function findFreePort(wanted = 0): Promise<number> {
	const server = createServer();
	return new Promise((done, fail) => {
		server.once("error", fail);
		server.listen(wanted, "127.0.0.1", () => {
			const address = server.address();
			server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
		});
	});
}
