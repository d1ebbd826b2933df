import { uuidV7 } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { auditAction, type Operator } from "../operator.ts";
import type { Treasury } from "../treasury.ts";
import { recordRun } from "./run.store.ts";
import type { Run } from "./run.ts";

/** The job of a run, by its name. */
const runJob = { name: "reconciliation.run" } as const;

/** Records a run, and enqueues its job. `by` is undefined for the daily ones. */
export async function startRun(
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ kind, from, to }: Pick<Run, "kind" | "from" | "to">,
	by: Operator | undefined,
): Promise<Run> {
	const createdAt = now();
	const run = { id: uuidV7(createdAt), kind, from, to, createdBy: by?.actor.id ?? "treasury", createdAt };
	await db.transaction(async (tx) => {
		await recordRun(tx, run);
		const detail = { kind, from: from.toISOString(), to: to.toISOString() };
		if (by !== undefined)
			await auditAction(tx, by, { action: "reconciliation.started", subject: run.id, detail, at: createdAt });
		await enqueueJob(tx, runJob, { id: run.id });
	});
	return { ...run, state: "waiting", found: undefined, failure: undefined, endedAt: undefined };
}
