import { setTimeout as sleep } from "node:timers/promises";
import { type Activity, activities, activitiesOf } from "./activities.ts";
import type { Ledger } from "./ledger.ts";
import type { LoadPeople } from "./load-people.ts";

/** People at work until they are stopped. */
export type Load = {
	/**
	 * Whether each kind of work was done that was begun since a moment, and what was begun later did not fail.
	 */
	flows(since: number): boolean;
	stop(): Promise<void>;
};

/**
 * The pauses between two iterations of each activity: about twenty-five requests per second in all, five of
 * them for a password hash.
 */
const pauseMs: Readonly<Record<Activity, number>> = {
	"sign in": 600,
	refresh: 100,
	code: 400,
	found: 600,
	roles: 200,
	hospital: 200,
	leave: 800,
};

/** Starts all activities. The ledger records their results. */
export function startLoad(
	urls: Readonly<Record<"auth" | "subscriptions" | "hospital", string>>,
	{ people, ledger }: { people: LoadPeople; ledger: Ledger },
): Load {
	const steps = activitiesOf({ ...urls, people, ledger });
	/** The start of the last successful iteration. */
	const doneAt = new Map<Activity, number>();
	const stopping = new AbortController();
	const { signal } = stopping;
	const run = async (activity: Activity) => {
		while (!signal.aborted) {
			const begunAt = Date.now();
			const isDone = await steps[activity]();
			doneAt.set(activity, isDone ? begunAt : 0);
			await sleep(pauseMs[activity], undefined, { signal }).catch(() => undefined);
		}
	};
	const running = activities.map(run);
	return {
		flows: (since) => activities.every((activity) => (doneAt.get(activity) ?? 0) >= since),
		async stop() {
			stopping.abort();
			await Promise.all(running);
		},
	};
}
