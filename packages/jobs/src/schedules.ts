import { type Database, runInBackground } from "@lango/postgres";
import type { PgBoss } from "pg-boss";
import type { AnyJob } from "./job.ts";
import { listOpenSlots } from "./jobs.store.ts";

type Schedules = {
	/** Enqueues the jobs of the current slots that are not enqueued yet. */
	sendDue(): Promise<void>;
	stop(): Promise<void>;
};

type Scheduled = { name: string; everySeconds: number };

type SchedulesOptions = {
	boss: PgBoss;
	db: Database;
	jobs: readonly AnyJob<never>[];
	isByHand: boolean;
	onError: (error: unknown, about: string) => void;
};

const looksPerSlot = 4;
const [lookMsMin, lookMsMax] = [1_000, 60_000];

/**
 * Starts the schedules. Time is divided into slots of `everySeconds` by the database's clock. Every process
 * looks several times per slot for schedules without a job and enqueues it; the database accepts only the
 * first, and none while an earlier job is unfinished.
 */
export function startSchedules({ boss, db, jobs, isByHand, onError }: SchedulesOptions): Schedules {
	const schedules = jobs.flatMap((job) => (job.kind === "job" ? [] : [job]));
	const send = ({ name, everySeconds }: Scheduled) => boss.send(name, {}, { singletonSeconds: everySeconds });
	const sendDue = async () => {
		for (const one of await listOpenSlots(db, schedules)) await send(one);
	};
	if (isByHand || schedules.length === 0) return { sendDue, stop: async () => {} };
	const shortest = Math.min(...schedules.map(({ everySeconds }) => everySeconds));
	const lookMs = Math.min(lookMsMax, Math.max(lookMsMin, shortest * (1_000 / looksPerSlot)));
	const { stop } = runInBackground({
		work: async () => {
			const open = await listOpenSlots(db, schedules);
			for (const one of open) await send(one).catch((error) => onError(error, `schedule ${one.name}`));
			return open.length > 0 ? "found" : "nothing";
		},
		pauseMs: { least: lookMs, most: lookMs },
		onError: (error) => onError(error, "schedules"),
	});
	return { sendDue, stop };
}
