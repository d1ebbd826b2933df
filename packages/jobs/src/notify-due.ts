import { type Background, type Database, runInBackground } from "@lango/postgres";
import type { PgBoss } from "pg-boss";
import { listDueQueues } from "./jobs.store.ts";

type NotifyingOptions = {
	boss: PgBoss;
	db: Database;
	/** The worker of each queue. */
	workers: ReadonlyMap<string, string>;
	pollSeconds: number;
	onError: (error: unknown, about: string) => void;
};

/**
 * Wakes the workers of queues whose jobs fall due without a notification: a later start, a retry. One
 * statement looks at all queues of the process, instead of one for each.
 */
export function startNotifyingDue({ boss, db, workers, pollSeconds, onError }: NotifyingOptions): Background {
	const names = [...workers.keys()];
	const lookMs = pollSeconds * 1_000;
	return runInBackground({
		work: async () => {
			const due = await listDueQueues(db, names);
			for (const name of due) boss.notifyWorker(workers.get(name) ?? "");
			return due.length > 0 ? "found" : "nothing";
		},
		pauseMs: { least: lookMs, most: lookMs },
		onError: (error) => onError(error, "due jobs"),
	});
}
