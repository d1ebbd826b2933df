import type { Database } from "@lango/postgres";
import type { PgBoss } from "pg-boss";
import type { AnyJob } from "./job.ts";
import { listOpenSlots } from "./jobs.store.ts";

type Schedules = {
	/** Enqueues the jobs of the current slots that are not enqueued yet. */
	sendDue(): Promise<void>;
	stop(): Promise<void>;
};

type SchedulesOptions = {
	boss: PgBoss;
	db: Database;
	jobs: readonly AnyJob<never>[];
	isByHand: boolean;
	onError: (error: unknown, about: string) => void;
};

const tickMs = { least: 1_000, most: 60_000 };

/**
 * Starts the schedules. Time is divided into slots of `everySeconds` by the database's clock. Every process
 * tries several times per slot to enqueue its job; the database accepts only the first, and none while an
 * earlier job is unfinished.
 */
export function startSchedules({ boss, db, jobs, isByHand, onError }: SchedulesOptions): Schedules {
	const due = jobs.flatMap((job) => (job.kind === "job" ? [] : [job]));
	let inFlight: Promise<unknown> = Promise.resolve();
	const send = (name: string, everySeconds: number) =>
		boss.send(name, {}, { singletonSeconds: everySeconds });
	const timers = isByHand
		? []
		: due.map(({ name, everySeconds }) => {
				const tick = () => {
					inFlight = send(name, everySeconds).catch((error) => onError(error, `schedule ${name}`));
				};
				tick();
				return setInterval(tick, Math.min(tickMs.most, Math.max(tickMs.least, everySeconds * 250)));
			});
	return {
		sendDue: async () => {
			for (const { name, everySeconds } of await listOpenSlots(db, due)) await send(name, everySeconds);
		},
		stop: async () => {
			for (const timer of timers) clearInterval(timer);
			await inFlight;
		},
	};
}
