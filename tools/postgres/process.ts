import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/**
 * The command line of a running process, its words separated by spaces, or `undefined` when no process of
 * that id runs. A process that has ended but was never waited for (usual in containers) counts as ended.
 */
export function commandOf(pid: number): string | undefined {
	if (process.platform === "linux") {
		const words = readIfThere(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim();
		return words === "" ? undefined : words;
	}
	try {
		const words = execFileSync("ps", ["-o", "command=", "-p", String(pid)], {
			encoding: "utf8",
			timeout: 5_000,
		});
		return words.trim() === "" || words.includes("<defunct>") ? undefined : words.trim();
	} catch {
		return undefined;
	}
}

/** Whether a process of that id runs, no matter whose. */
const isRunning = (pid: number): boolean => commandOf(pid) !== undefined;

/** Sends a signal; a process that has ended meanwhile is not an error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Waits until the process has ended, `seconds` at most, and says whether it has. */
export async function waitForEnd(pid: number, seconds: number): Promise<boolean> {
	const end = Date.now() + seconds * 1000;
	while (isRunning(pid)) {
		if (Date.now() > end) return false;
		await setTimeout(25);
	}
	return true;
}

/** The text of a file, or `undefined` when there is none. Any other fault is thrown. */
export function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (["ENOENT", "ESRCH", "ENOTDIR"].includes(code)) return undefined;
		throw error;
	}
}
