import type { Transport } from "./transport.ts";

/**
 * How often a process looks for work without a signal. What it commits itself wakes it, so this is the
 * time after which it takes over the work of another process that died; alone, it looks for the commands of
 * operators only.
 */
const besideOthersMs = 500;
const aloneMs = 2_000;

/** The polling interval of an idle process. */
export const pollMs = ({ connectsProcesses }: Pick<Transport, "connectsProcesses">): number =>
	connectsProcesses ? besideOthersMs : aloneMs;
