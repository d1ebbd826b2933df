import { readdirSync, readFileSync } from "node:fs";

/**
 * Processor time a process used so far on all its threads, and (`withChildren`) its children with theirs, in milliseconds, to the
 * nanosecond as the scheduler counts it. A thread that runs at this moment is counted up to its last switch. What ended is not counted.
 */
export function exactMsOf(pid: number, withChildren = false): number {
	const all = withChildren ? [pid, ...childrenOf(pid)] : [pid];
	return all.reduce((sum, one) => sum + threadsMsOf(one), 0);
}

function threadsMsOf(pid: number): number {
	const threads = readOr("", () => readdirSync(`/proc/${pid}/task`));
	let ns = 0;
	for (const thread of threads) {
		const file = `/proc/${pid}/task/${thread}/schedstat`;
		ns += Number(
			readOr("0", () => readFileSync(file, "utf8"))
				.toString()
				.split(" ")[0],
		);
	}
	return ns / 1e6;
}

function childrenOf(pid: number): number[] {
	return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

/** What a process that has just ended said is lost. */
function readOr<T, E>(none: E, read: () => T): T | E {
	try {
		return read();
	} catch (error) {
		if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return none;
		throw error;
	}
}

/** How long all cores of the machine together have worked so far, whoever for, in milliseconds. */
export function machineMs(): number {
	const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
	const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/).slice(1).map(Number);
	return (user + nice + system + irq + softirq) * 10;
}
