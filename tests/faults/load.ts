import { setTimeout as sleep } from "node:timers/promises";
import type { Cast } from "./cast.ts";
import type { Ledger } from "./ledger.ts";
import { type Work, works, worksOf } from "./works.ts";

/** People at work until they are stopped. */
export type Load = {
	/**
	 * Whether each kind of work was done that was begun since a moment, and what was begun later did not fail.
	 */
	flows(since: number): boolean;
	stop(): Promise<void>;
};

/**
 * Pauses between two turns of each: together about twenty-five requests in a second, of which five are for a
 * password's hash.
 */
const pauseMs: Readonly<Record<Work, number>> = {
	"sign in": 600,
	refresh: 100,
	code: 400,
	found: 600,
	roles: 200,
	hospital: 200,
	leave: 800,
};

/** Begins all work at once. What comes of it is noted in the ledger. */
export function startLoad(
	urls: Readonly<Record<"auth" | "subscriptions" | "hospital", string>>,
	{ cast, ledger }: { cast: Cast; ledger: Ledger },
): Load {
	const steps = worksOf({ ...urls, cast, ledger });
	/** When the last turn was begun that was done. */
	const doneAt = new Map<Work, number>();
	const stopping = new AbortController();
	const { signal } = stopping;
	const run = async (work: Work) => {
		while (!signal.aborted) {
			const begunAt = Date.now();
			const isDone = await steps[work]();
			doneAt.set(work, isDone ? begunAt : 0);
			await sleep(pauseMs[work], undefined, { signal }).catch(() => undefined);
		}
	};
	const running = works.map(run);
	return {
		flows: (since) => works.every((work) => (doneAt.get(work) ?? 0) >= since),
		async stop() {
			stopping.abort();
			await Promise.all(running);
		},
	};
}
