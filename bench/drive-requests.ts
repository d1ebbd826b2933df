import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "./figures.ts";
import { converse } from "./http-socket.ts";

/** How a server is driven. */
export type Load = {
	url: string;
	connections: number;
	seconds: number;
	/** The first seconds, which are not counted. */
	settleSeconds: number;
	/** Requests at equal intervals; without it each begins as soon as the one before it is answered. */
	perSecond?: number;
	/** Ends the run after this number of requests, if time does not end it before. */
	requests?: number;
};

/** The result of a run; durations in milliseconds. `total` includes requests before the measurement. */
export type Driven = { perSecond: number; p50: number; p95: number; p99: number; total: number };

type Asking = {
	/** The bytes of the next request. */
	request: () => Buffer;
	/** The status of every response. */
	status: number;
};

/** Sends requests over keep-alive connections. Throws an Error at the first wrong response. */
export async function driveRequests(load: Load, { request, status: wanted }: Asking): Promise<Driven> {
	const starts = performance.now() + load.settleSeconds * 1_000;
	const ends = starts + load.seconds * 1_000;
	const times: number[] = [];
	let total = 0;
	let begun = 0;
	const due = load.perSecond === undefined ? undefined : schedule(load.perSecond);
	const work = () => {
		let from = 0;
		return converse(load.url, {
			next: async () => {
				begun += 1;
				if (begun > (load.requests ?? Number.POSITIVE_INFINITY) || performance.now() >= ends)
					return undefined;
				await due?.();
				from = performance.now();
				return request();
			},
			answered(status, body) {
				if (status !== wanted) throw new Error(`${load.url} returned ${status}: ${body.slice(0, 300)}`);
				const now = performance.now();
				total += 1;
				if (now >= starts) times.push(now - from);
			},
		});
	};
	await Promise.all(Array.from({ length: load.connections }, work));
	const elapsed = (performance.now() - starts) / 1_000;
	if (times.length === 0) throw new Error(`no request ended within ${load.seconds} s`);
	return {
		...{ perSecond: times.length / elapsed, total },
		...{ p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) },
	};
}

/** Waits until the next request is due. */
function schedule(perSecond: number): () => Promise<void> {
	let due = performance.now();
	return async () => {
		due += 1_000 / perSecond;
		const early = due - performance.now();
		if (early > 0) await sleep(early);
	};
}
