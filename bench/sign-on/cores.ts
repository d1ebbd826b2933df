import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/**
 * The cores of processes. `server` is for the measured server, `rest` for PostgreSQL, the driver and test
 * doubles.
 */
export type Cores = { server: string; rest: string; all: string; isSplit: boolean };

/**
 * The first core for the measured server, the others for the rest. Without taskset or with one core, no
 * process is pinned.
 */
export function splitCores(isWanted: boolean): Cores {
	const count = availableParallelism();
	const all = `0-${count - 1}`;
	const isSplit = isWanted && count > 1 && spawnSync("taskset", ["--version"]).status === 0;
	return isSplit
		? { server: "0", rest: count === 2 ? "1" : `1-${count - 1}`, all, isSplit }
		: { server: all, rest: all, all, isSplit };
}

/** The command that starts a program on given cores. */
export function onCores({ isSplit }: Cores, cores: string, command: readonly string[]): string[] {
	return isSplit ? ["taskset", "-c", cores, ...command] : [...command];
}

/** Moves a process with its threads and children to other cores. Later children inherit them. */
export function moveTo({ isSplit }: Cores, pid: number, cores: string): void {
	if (!isSplit) return;
	for (const one of [pid, ...childrenOf(pid)])
		execFileSync("taskset", ["-acp", cores, String(one)], { stdio: ["ignore", "ignore", "pipe"] });
}

/** The processor time of a process and its children so far, in milliseconds, including ended children. */
export function processorMsOf(pid: number): number {
	const ticks = [pid, ...childrenOf(pid)].map((one) => {
		const stat = statOf(one);
		// The time of an ended child is counted with its parent.
		if (stat === undefined && one !== pid) return 0;
		if (stat === undefined) throw new Error(`process ${pid} has ended`);
		const [utime, stime, ofEnded, systemOfEnded] = stat
			.slice(stat.lastIndexOf(")") + 2)
			.split(" ")
			.slice(11, 15)
			.map(Number);
		const own = (utime ?? 0) + (stime ?? 0);
		return one === pid ? own + (ofEnded ?? 0) + (systemOfEnded ?? 0) : own;
	});
	return ticks.reduce((sum, one) => sum + one, 0) * tickMs;
}

/**
 * The processor time of the main threads of a process and of its children so far, in milliseconds. This is
 * all of PostgreSQL's, whose processes have one thread, and precise enough for slices of 250 ms. Ended
 * processes are not counted.
 */
export function runMsOf(pid: number): number {
	const ran = [pid, ...childrenOf(pid)].map((one) => {
		const [ranNs] = readIfThere(`/proc/${one}/schedstat`)?.split(" ").map(Number) ?? [];
		return (ranNs ?? 0) / 1e6;
	});
	return ran.reduce((sum, one) => sum + one, 0);
}

/** The memory of a process and its children now; what several share is counted once. */
export function memoryMbOf(pid: number): number {
	const kilobytes = [pid, ...childrenOf(pid)].map((one) =>
		Number(/^Pss:\s+(\d+)/m.exec(readIfThere(`/proc/${one}/smaps_rollup`) ?? "")?.[1] ?? 0),
	);
	return kilobytes.reduce((sum, one) => sum + one, 0) / 1_024;
}

const statOf = (pid: number) => readIfThere(`/proc/${pid}/stat`);

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		// Without this file the process does not exist; reading fails with ESRCH if it ends meanwhile.
		if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
		throw error;
	}
}

/** The time that the main thread of a process was ready but waited for a core, in milliseconds. */
export function waitingMsOf(pid: number): number {
	const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ").map(Number);
	return (waitedNs ?? 0) / 1e6;
}

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10;

function childrenOf(pid: number): number[] {
	return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}
