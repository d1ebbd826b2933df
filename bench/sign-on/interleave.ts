import type { Spread } from "../figures.ts";
import { ratios, spreadOf } from "../figures.ts";
import { processorMsOf, waitingMsOf } from "./cores.ts";
import type { Driver } from "./driver.ts";
import type { Target } from "./flows.ts";
import type { Load, Outcome } from "./load.ts";

/**
 * The beginning of a run that does not count: connections are opened, and earlier changes are written to
 * disk.
 */
export const settleSeconds = 1;

/**
 * An outcome with the processor time per flow of the server and of PostgreSQL, and the time that the server
 * waited for a core, all in milliseconds.
 */
export type Measured = Outcome & { serverMs: number; databaseMs: number; waitingMs: number };

/** Runs A B C A B C … Returns the outcomes of each target by run. */
export async function interleave(
	{ driver, databasePid }: { driver: Driver; databasePid: number },
	targets: readonly Target[],
	{ load, runs, seconds }: { load: Load; runs: number; seconds: number },
): Promise<Measured[][]> {
	const outcomes = targets.map((): Measured[] => []);
	for (let run = 0; run < runs; run += 1) {
		for (const [at, target] of targets.entries()) {
			const before = costs(target.pid, databasePid);
			const [outcome] = await driver.drive({ target, loads: [load], seconds, settleSeconds });
			if (outcome === undefined) throw new Error("the driver returned no outcome");
			const after = costs(target.pid, databasePid);
			const each = (name: keyof Costs) => (after[name] - before[name]) / outcome.total;
			outcomes[at]?.push({
				...outcome,
				serverMs: each("serverMs"),
				databaseMs: each("databaseMs"),
				waitingMs: each("waitingMs"),
			});
		}
	}
	return outcomes;
}

type Costs = Pick<Measured, "serverMs" | "databaseMs" | "waitingMs">;

const costs = (pid: number, databasePid: number): Costs => ({
	serverMs: processorMsOf(pid),
	databaseMs: processorMsOf(databasePid),
	waitingMs: waitingMsOf(pid),
});

/** Warms up each target. */
export async function warmUp(
	driver: Driver,
	targets: readonly Target[],
	{ load, seconds }: { load: Load; seconds: number },
) {
	for (const target of targets) await driver.drive({ target, loads: [load], seconds, settleSeconds: 0 });
}

export const rates = (outcomes: readonly Outcome[]): number[] => outcomes.map(({ perSecond }) => perSecond);
export const rateOf = (outcomes: readonly Outcome[]): Spread => spreadOf(rates(outcomes));

/** A percentile of a step in each run. */
export function timesOf(outcomes: readonly Outcome[], step: string, which: "mean" | "p50" | "p99"): number[] {
	return outcomes.map(({ steps }) => steps[step]?.[which] ?? Number.NaN);
}

/** The ratio of the rates of the first and the second, by run. */
export function rateRatios(ours: readonly Outcome[], theirs: readonly Outcome[]): Spread {
	return ratios(rates(ours), rates(theirs));
}
