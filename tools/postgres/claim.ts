import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { commandOf, readIfThere } from "./process.ts";

/**
 * Writes our process id into the file `path` and returns how to take it away again; returns the id of the
 * process that has it when that one still runs. An id left by a killed run is taken over: `isOurs` checks by
 * the command line whether the process of that id is of the kind that claims this file, or one that got its
 * number later.
 */
export function claim(
	path: string,
	isOurs: (command: string, pid: number) => boolean,
): number | (() => void) {
	mkdirSync(dirname(path), { recursive: true });
	const owner = Number(readIfThere(path));
	const command = owner > 0 && owner !== process.pid ? commandOf(owner) : undefined;
	if (command !== undefined && isOurs(command, owner)) return owner;
	if (owner !== process.pid) rmSync(path, { force: true });
	try {
		writeFileSync(path, `${process.pid}\n`, { flag: owner === process.pid ? "w" : "wx" });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		return Number(readIfThere(path));
	}
	return () => rmSync(path, { force: true });
}

/** Whether a process runs in a folder; where the system does not say, its command line has to do. */
export function runsIn(folder: string, pid: number): boolean {
	if (process.platform !== "linux") return true;
	try {
		return readlinkSync(`/proc/${pid}/cwd`) === folder;
	} catch {
		return false;
	}
}

/** Runs `work` while no other process does so under the same file; waits up to two minutes for that. */
export async function alone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
	const end = Date.now() + 120_000;
	for (;;) {
		const claimed = claim(path, isNode);
		if (typeof claimed === "function") return await work().finally(claimed);
		if (Date.now() > end) throw new Error(`Process ${claimed} has held ${path} for two minutes.`);
		await setTimeout(50);
	}
}

/**
 * The processes that have a file named by their id in `folder` and still run; the files of others are
 * removed.
 */
export function holdersIn(folder: string): number[] {
	mkdirSync(folder, { recursive: true });
	const running = (pid: number) => isNode(commandOf(pid) ?? "");
	const pids = readdirSync(folder).map(Number);
	for (const pid of pids.filter((pid) => !running(pid))) rmSync(join(folder, String(pid)), { force: true });
	return pids.filter(running);
}

const isNode = (command: string) => /node|vitest/.test(command);
