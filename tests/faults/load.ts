import { setTimeout as sleep } from "node:timers/promises";
import type { Cast } from "./cast.ts";
import type { Ledger } from "./ledger.ts";
import { type Work, works, worksOf } from "./works.ts";

/** People at work until they are stopped. */
export type Load = {
	/** How often each kind of work was done. */
	turns: Readonly<Record<Work, number>>;
	/** Whether each kind of work that was begun since a moment was done twice in a row. */
	flows(since: number): boolean;
	stop(): Promise<void>;
};

/** Pauses between two turns of each: together about forty requests in a second. */
const pauseMs: Readonly<Record<Work, number>> = {
	"sign in": 300,
	refresh: 60,
	code: 250,
	found: 400,
	roles: 120,
	hospital: 120,
	leave: 500,
};

/** Begins all work at once. What comes of it is noted in the ledger. */
export function startLoad(
	urls: Readonly<Record<"auth" | "subscriptions" | "hospital", string>>,
	{ cast, ledger }: { cast: Cast; ledger: Ledger },
): Load {
	const steps = worksOf({ ...urls, cast, ledger });
	const turns = Object.fromEntries(works.map((work) => [work, 0])) as Record<Work, number>;
	/** When the last two turns begun that were done one after the other. */
	const row = new Map<Work, number[]>();
	const stopping = new AbortController();
	const { signal } = stopping;
	const run = async (work: Work) => {
		while (!signal.aborted) {
			const begunAt = Date.now();
			const isDone = await steps[work]();
			row.set(work, isDone ? [...(row.get(work) ?? []), begunAt].slice(-2) : []);
			if (isDone) turns[work] += 1;
			await sleep(pauseMs[work], undefined, { signal }).catch(() => undefined);
		}
	};
	const running = works.map(run);
	return {
		turns,
		flows: (since) => works.every((work) => (row.get(work) ?? []).filter((at) => at >= since).length === 2),
		async stop() {
			stopping.abort();
			await Promise.all(running);
		},
	};
}
