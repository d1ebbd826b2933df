import { readFileSync } from "node:fs";
import { processorMsOf } from "../sign-on/cores.ts";
import type { Target } from "../sign-on/flows.ts";
import { settleSeconds } from "../sign-on/interleave.ts";
import type { Load, Outcome } from "../sign-on/load.ts";
import type { Running } from "../sign-on/processes.ts";
import { openStage as openSignOnStage, type Stage as SignOnStage } from "../sign-on/stage.ts";
import { countable, countStatements } from "./costs.store.ts";
import type { Options } from "./options.ts";

export type Stage = SignOnStage<Options>;

/** The stage of the sign-on bench with a PostgreSQL that can count statements, which is still off. */
export async function openStage(options: Options): Promise<Stage> {
	const stage = await openSignOnStage(options, countable);
	await countStatements(stage.adminUrl, false);
	return stage;
}

/** A target, its processes, and the proxy before them if there is one. */
export type Placed = { target: Target; servers: readonly Running[]; proxy?: Running };

/** An outcome with the processor time of a flow: of the servers, PostgreSQL, the driver and the proxy. */
export type Measured = Outcome & {
	serverMs: number;
	databaseMs: number;
	driverMs: number;
	proxyMs: number;
	/** The busy cores of all of these, and of other processes. */
	ownCores: number;
	otherCores: number;
};

/** Runs a load once and measures its cost. */
export async function measure(
	{ driver, databasePid }: Stage,
	{ target, servers, proxy }: Placed,
	{ load, seconds }: { load: Load; seconds: number },
): Promise<Measured> {
	const read = () => ({
		serverMs: servers.reduce((sum, { pid }) => sum + processorMsOf(pid), 0),
		databaseMs: processorMsOf(databasePid),
		driverMs: processorMsOf(driver.pid),
		proxyMs: proxy === undefined ? 0 : processorMsOf(proxy.pid),
	});
	const [begin, before, machine] = [performance.now(), read(), machineMs()];
	const [outcome] = await driver.drive({ target, loads: [load], seconds, settleSeconds });
	if (outcome === undefined) throw new Error("the driver returned no outcome");
	const after = read();
	const elapsedMs = performance.now() - begin;
	const each = (name: keyof typeof after) => (after[name] - before[name]) / outcome.total;
	const sum = (of: typeof after) => of.serverMs + of.databaseMs + of.driverMs + of.proxyMs;
	const ownCores = (sum(after) - sum(before)) / elapsedMs;
	return {
		...outcome,
		serverMs: each("serverMs"),
		databaseMs: each("databaseMs"),
		driverMs: each("driverMs"),
		proxyMs: each("proxyMs"),
		ownCores,
		otherCores: Math.max(0, (machineMs() - machine) / elapsedMs - ownCores),
	};
}

/** The processor time of a flow in all processes, in milliseconds. */
export const togetherMs = ({ serverMs, databaseMs, driverMs, proxyMs }: Measured): number =>
	serverMs + databaseMs + driverMs + proxyMs;

/** The time that all cores of the machine together have worked so far, for any process, in milliseconds. */
function machineMs(): number {
	const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
	const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/).slice(1).map(Number);
	return (user + nice + system + irq + softirq) * 10;
}
