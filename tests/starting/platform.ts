import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { sendSignal } from "../../tools/postgres/process.ts";
import { type Clone, dataFolderOf } from "./clone.ts";

/** One `npm start`, in a process group of its own as a terminal gives it. */
export type Started = {
	child: ChildProcess;
	/** All it has said so far. */
	output: () => string;
	/** Resolves when it has said `text`; throws with all it said when it ends first, or after `seconds`. */
	untilSaid: (text: string, seconds: number) => Promise<void>;
	/** Ctrl-C: the signal goes to every process of the group, npm's included. */
	interrupt: () => void;
	/** Its exit code, or the signal that ended it; throws when it has not ended after `seconds`. */
	untilEnded: (seconds: number) => Promise<number | string>;
};

/**
 * The longest waits in seconds, for a machine that does other work too: for a start, for a first start with
 * the installation of packages, and for an end.
 */
export const patience = { start: 150, install: 400, end: 60 };

/** Runs `npm start` in a clone, with `words` after it. */
export function npmStart({ folder, identity, environment }: Clone, words: readonly string[] = []): Started {
	const { uid, gid } = identity;
	const child = spawn("npm", ["start", ...words], {
		cwd: folder,
		env: environment,
		detached: true,
		stdio: ["ignore", "pipe", "pipe"],
		...(uid !== undefined && gid !== undefined && { uid, gid }),
	});
	let said = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (chunk) => {
			said += chunk;
		});
	}
	let ended: number | string | undefined;
	child.once("close", (code, signal) => {
		ended = code ?? signal ?? "?";
	});
	const untilSaid = async (text: string, seconds: number) => {
		await until(() => said.includes(text) || ended !== undefined, seconds);
		if (!said.includes(text))
			throw new Error(`npm start never said "${text}" (ended: ${ended}). It said:\n${said}`);
	};
	const untilEnded = async (seconds: number) => {
		await until(() => ended !== undefined, seconds);
		if (ended === undefined) throw new Error(`npm start has not ended after ${seconds} s. It said:\n${said}`);
		return ended;
	};
	const interrupt = () => process.kill(-(child.pid ?? 0), "SIGINT");
	return { child, output: () => said, untilSaid, interrupt, untilEnded };
}

/** Waits for a condition, `seconds` at most. */
export async function until(condition: () => boolean, seconds: number): Promise<void> {
	const end = Date.now() + seconds * 1000;
	while (!condition() && Date.now() < end) await setTimeout(20);
}

/**
 * The processes that belong to a clone's platform: those of its group, and every one that names its folders.
 */
export function listProcesses({ folder }: Clone, { child }: Started): string[] {
	const data = dataFolderOf(folder);
	const lines = execFileSync("ps", ["-eo", "pid=,pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
	return lines.filter((line) => {
		const [, group, state] = line.trim().split(/\s+/);
		const isOurs = Number(group) === child.pid || line.includes(folder) || line.includes(data);
		return isOurs && !state?.startsWith("Z");
	});
}

/** Ends every process of a clone's platform at once, as a crash of the machine would. */
export function killEverything(clone: Clone | undefined, started: Started | undefined): void {
	if (clone === undefined || started === undefined) return;
	for (const line of listProcesses(clone, started))
		sendSignal(Number(line.trim().split(/\s+/)[0]), "SIGKILL");
}
