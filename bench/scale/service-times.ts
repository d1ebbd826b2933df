import { quantile } from "../figures.ts";
import { startWorker } from "../sign-on/driver.ts";
import { stopChild } from "../sign-on/processes.ts";
import { type Section, table } from "../sign-on/report.ts";
import { drawPeople, type Installation, signInPeople } from "../sign-on/stage.ts";
import { histogramOf } from "./histogram.ts";
import { openTarget } from "./large.ts";
import { type MeasuredFlow, measuredFlows, type ServiceTimes } from "./recorded.ts";
import type { Job, Samples } from "./sample-process.ts";
import type { Placed, Stage } from "./stage.ts";

const hashingFlow: MeasuredFlow = "sign-in";

type Times = Record<MeasuredFlow, Record<string, ServiceTimes>>;

/** Records how long each of many requests takes of the processors, one request at a time, so that none waits for another. */
export async function recordServiceTimes(
	stage: Stage,
	large: Installation,
): Promise<{ section: Section; serviceTimes: Times }> {
	const { placed, seeds, close } = await openTarget(stage, large, "service-times");
	await warmUp(stage, large, placed);
	const sampler = startWorker("../scale/sample-process.ts", stage.cores, stage.cores.rest);
	const give = async <T>(job: Job): Promise<T> => {
		const { result, error } = await sampler.ask<{ result: T; error?: string }>(job);
		if (error !== undefined) throw new Error(error);
		return result;
	};
	const found: Array<[MeasuredFlow, Record<string, ServiceTimes>]> = [];
	const rows: string[][] = [];
	try {
		await give({ kind: "prepare", seeds });
		for (const flow of measuredFlows) {
			const count = Math.ceil(stage.options.samples / (flow === hashingFlow ? 10 : 1));
			const { target } = placed;
			const { databasePid } = stage;
			const job = { kind: "sample", target, flow, count, warmUp: Math.ceil(count / 5), databasePid } as const;
			const samples = await give<Samples>(job);
			rows.push(...rowsOf(samples));
			found.push([
				flow,
				Object.fromEntries(Object.entries(samples).map(([step, one]) => [step, binned(one)])),
			]);
		}
	} finally {
		await stopChild(sampler.child);
		await close();
	}
	return { section: describe(rows, stage), serviceTimes: Object.fromEntries(found) as Times };
}

/** A process that has just started compiles what it runs: it is driven at full load first, by other people. */
async function warmUp(stage: Stage, large: Installation, { target }: Placed): Promise<void> {
	const { driver, options } = stage;
	await driver.prepare({
		target,
		seeds: await signInPeople(large, drawPeople(large.size, options.connections * 64)),
	});
	for (const flow of measuredFlows) {
		const load = { flow, connections: flow === hashingFlow ? 2 : options.connections };
		await driver.drive({ target, loads: [load], seconds: options.warmUpSeconds, settleSeconds: 0 });
	}
}

const binned = ({ server, database, rest, sentBytes, receivedBytes }: Samples[string]): ServiceTimes => ({
	server: histogramOf(server),
	database: histogramOf(database),
	rest: histogramOf(rest),
	sentBytes,
	receivedBytes,
});

function rowsOf(samples: Samples): string[][] {
	const parts = ({ server, database, rest }: Samples[string]) => [server, database, rest];
	const figures = (times: readonly number[]) => {
		const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
		return `${mean.toFixed(2)} / ${quantile(times, 0.5).toFixed(2)} / ${quantile(times, 0.99).toFixed(2)}`;
	};
	return Object.entries(samples).map(([step, one]) => [
		step,
		String(one.server.length),
		...parts(one).map(figures),
		one.sentBytes.toFixed(0),
		one.receivedBytes.toFixed(0),
	]);
}

function describe(rows: readonly string[][], { cores }: Stage): Section {
	const head = [
		"one at a time",
		"recorded",
		"server ms: mean / p50 / p99",
		"PostgreSQL ms",
		"else ms",
		"bytes sent",
		"bytes received",
	];
	return {
		title: "Service times, one request at a time",
		text: `${table(head, rows)}

Processor time of each single request, as the scheduler counts it to the nanosecond: of all threads of the server and of all processes of
PostgreSQL. "Else" is what passes besides until the answer is there: the disk, waking up, the network, the driver. ${cores.isSplit ? "The server has a core for itself. " : ""}Alone
a request finds the processor's caches cold and wakes everybody up for itself, and nearly each is of a tenant not heard of for a minute, whose subscription has to be
asked for: it takes more than at full load. The simulation draws from these times.
Bytes are those of the connection, headers included.`,
		verdicts: [],
	};
}
