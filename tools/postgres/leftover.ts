import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { commandOf, readIfThere, sendSignal, waitForEnd } from "./process.ts";

/** What `postmaster.pid` says of the PostgreSQL that runs, or ran, on a data folder. */
export type Postmaster = { pid: number; port: number; isReady: boolean };

/**
 * Reads `postmaster.pid`: the process id on its first line, the port on the fourth, the state on the eighth.
 */
export function readPostmaster(dataFolder: string): Postmaster | undefined {
	const lines = readIfThere(join(dataFolder, "postmaster.pid"))?.split("\n");
	const pid = Number.parseInt(lines?.[0] ?? "", 10);
	if (lines === undefined || !(pid > 0)) return undefined;
	return { pid, port: Number.parseInt(lines[3] ?? "", 10), isReady: lines[7]?.trim() === "ready" };
}

/**
 * The PostgreSQL that really runs on a data folder. A pid file alone proves nothing: after a crash its number
 * may belong to any process by now, so the command line of that process has to name the program and the
 * folder.
 */
export function findPostmaster(dataFolder: string): Postmaster | undefined {
	const postmaster = readPostmaster(dataFolder);
	const [program = "", ...words] =
		postmaster === undefined ? [] : (commandOf(postmaster.pid)?.split(" ") ?? []);
	return basename(program).startsWith("postgres") && words.includes(dataFolder) ? postmaster : undefined;
}

/**
 * Stops what a killed run left running on a data folder, and defuses the pid file of one that runs no more.
 */
export async function settleLeftover(dataFolder: string): Promise<void> {
	const postmaster = findPostmaster(dataFolder);
	if (postmaster !== undefined) return stopPostmaster(postmaster.pid);
	if (readPostmaster(dataFolder) !== undefined) defuse(dataFolder);
}

/** A fast shutdown; after ten seconds an immediate one (the log is replayed at the next start). */
export async function stopPostmaster(pid: number): Promise<void> {
	for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
		sendSignal(pid, signal);
		if (await waitForEnd(pid, 10)) return;
	}
	throw new Error(`The PostgreSQL of process ${pid} does not stop.`);
}

/**
 * PostgreSQL takes any process of its user for another postmaster: a stranger that has the number by now, and
 * one that was killed and not yet reaped. Its parent (ourselves) is the exception, so the
 * file gets our number; the other lines stay, because they name shared memory still in use.
 */
function defuse(dataFolder: string): void {
	const path = join(dataFolder, "postmaster.pid");
	const [, ...lines] = (readIfThere(path) ?? "").split("\n");
	writeFileSync(path, [process.pid, ...lines].join("\n"));
}
