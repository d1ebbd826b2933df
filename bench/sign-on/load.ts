import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../figures.ts";
import { type Flow, flows, type Step, type Target, type User } from "./flows.ts";
import { exchanged } from "./http.ts";

/**
 * One stream of flows: with a fixed number in flight, each followed by the next, or (`perSecond`) at a fixed
 * rate that does not depend on the server; durations then start when a flow was due.
 */
export type Load = { flow: Flow } & ({ connections: number } | { perSecond: number });

/** Durations of one kind of request, in milliseconds. */
export type Times = { mean: number; p50: number; p99: number; most: number };

/** The result of a stream. A wrong response ends the run, so there are no errors to count. */
export type Outcome = {
	count: number;
	/** Includes flows before the measurement. */
	total: number;
	perSecond: number;
	/** The bytes received for each flow, headers included; meaningless while another stream runs. */
	receivedBytes: number;
	steps: Record<string, Times>;
};

type Recorder = { starts: number; steps: Map<string, number[]>; count: number; total: number };

/** Runs one stream for this time. Flows that end within the first `settleSeconds` do not count. */
export async function drive(
	target: Target,
	users: User[],
	{ load, seconds, settleSeconds }: { load: Load; seconds: number; settleSeconds: number },
): Promise<Outcome> {
	const begin = performance.now();
	const starts = begin + settleSeconds * 1_000;
	const ends = starts + seconds * 1_000;
	const recorder: Recorder = { starts, steps: new Map(), count: 0, total: 0 };
	const receivedBefore = exchanged.received;
	const once = async (dueAt: number) => {
		const user = users.shift();
		if (user === undefined) throw new Error("there are more flows in flight than people");
		await runFlow(target, user, { steps: flows[load.flow], recorder, dueAt });
		users.push(user);
	};
	if ("connections" in load) {
		const work = async () => {
			while (performance.now() < ends) await once(performance.now());
		};
		await Promise.all(Array.from({ length: load.connections }, work));
	} else await pace({ perSecond: load.perSecond, begin, ends }, once);
	const elapsed = (performance.now() - starts) / 1_000;
	if (recorder.count === 0) throw new Error(`no ${load.flow} ended within ${seconds} s`);
	return {
		count: recorder.count,
		total: recorder.total,
		perSecond: recorder.count / elapsed,
		receivedBytes: (exchanged.received - receivedBefore) / recorder.total,
		steps: Object.fromEntries([...recorder.steps].map(([name, times]) => [name, summarise(times)])),
	};
}

type Running = { steps: Record<string, Step>; recorder: Recorder; dueAt: number };

async function runFlow(target: Target, user: User, { steps, recorder, dueAt }: Running): Promise<void> {
	let from = dueAt;
	for (const [name, step] of Object.entries(steps)) {
		await step(target, user);
		const now = performance.now();
		if (now >= recorder.starts) {
			const times = recorder.steps.get(name) ?? [];
			times.push(now - from);
			recorder.steps.set(name, times);
		}
		from = now;
	}
	recorder.total += 1;
	if (from >= recorder.starts) recorder.count += 1;
}

/** Starts flows at equal intervals and waits for all of them. */
async function pace(
	{ perSecond, begin, ends }: { perSecond: number; begin: number; ends: number },
	once: (dueAt: number) => Promise<void>,
): Promise<void> {
	const inFlight: Promise<void>[] = [];
	for (let dueAt = begin; dueAt < ends; dueAt += 1_000 / perSecond) {
		await sleep(Math.max(0, dueAt - performance.now()));
		const one = once(dueAt);
		one.catch(() => {});
		inFlight.push(one);
	}
	await Promise.all(inFlight);
}

function summarise(times: readonly number[]): Times {
	return {
		mean: times.reduce((sum, time) => sum + time, 0) / times.length,
		p50: quantile(times, 0.5),
		p99: quantile(times, 0.99),
		most: times.reduce((most, time) => Math.max(most, time), 0),
	};
}
