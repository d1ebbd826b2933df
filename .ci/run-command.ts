import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** All steps together have 90 minutes; one that takes this long is taken to hang. */
const minutesMax = 45;

export type Command = {
	name: string;
	/** The program and its arguments. */
	words: readonly string[];
	environment: Readonly<Record<string, string>>;
	/** Where its output goes until it has ended. */
	log: string;
	/** Where it keeps the names of the tests that run (`.ci/under-way.ts`). */
	underWayFile: string;
};

const running = new Map<number, Command>();

/**
 * Runs a command in a process group of its own, then prints its output in one piece, so that commands that
 * run side by side do not mix theirs. Returns the exit code, 1 when it did not start or was killed. After 45
 * minutes the command is killed with all that it started.
 */
export async function runCommand(command: Command): Promise<number> {
	const [program = "", ...words] = command.words;
	const output = openSync(command.log, "w");
	const child = spawn(program, words, {
		cwd: root,
		stdio: ["ignore", output, output],
		detached: true,
		env: { ...process.env, ...command.environment },
	});
	closeSync(output);
	const pid = child.pid ?? 0;
	if (pid > 0) running.set(pid, command);
	let killed = "";
	const hung = setTimeout(() => {
		killed = `Killed after ${minutesMax} minutes. These tests ran: ${readText(command.underWayFile)}\n`;
		killTree(pid);
	}, minutesMax * 60_000);
	const code = await new Promise<number>((done) => {
		child.once("error", () => done(1));
		child.once("close", (exit) => done(exit ?? 1));
	});
	clearTimeout(hung);
	running.delete(pid);
	printLog(command, killed);
	return code;
}

/**
 * On SIGINT or SIGTERM: kills the commands that run, prints what they wrote so far, and ends this process
 * with 1.
 */
export function stopOnSignal(): void {
	for (const signal of ["SIGINT", "SIGTERM"] as const)
		process.once(signal, () => {
			for (const [pid, command] of running) {
				killTree(pid);
				printLog(command, `Stopped by ${signal}. These tests ran: ${readText(command.underWayFile)}\n`);
			}
			process.exit(1);
		});
}

function printLog({ name, log }: Command, more: string): void {
	process.stdout.write(`\n━━ output of ${name}\n${readText(log)}\n${more}`);
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "unknown";
	}
}

/** Kills a process and its descendants, also those in other process groups. */
function killTree(root: number): void {
	if (root <= 0) return;
	const processes = listProcesses();
	const doomed = [root];
	for (const pid of doomed)
		doomed.push(...processes.filter(({ parent }) => parent === pid).map((one) => one.pid));
	for (const target of [-root, ...doomed]) {
		try {
			process.kill(target, "SIGKILL");
		} catch (error) {
			// It ended meanwhile.
			if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
		}
	}
}

function listProcesses(): Array<{ pid: number; parent: number }> {
	const lines = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
	return lines.map((line) => {
		const [pid, parent] = line.trim().split(/\s+/).map(Number);
		return { pid: pid ?? 0, parent: parent ?? 0 };
	});
}
