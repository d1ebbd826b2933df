import type { Database } from "@lango/postgres";
import { asBossDb, bossWithin } from "./boss.ts";
import { type DeadJob, findDeadLetters, listDead } from "./jobs.store.ts";

const listMax = 100;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The oldest hundred jobs whose last try failed. */
export const listDeadJobs = (db: Database): Promise<DeadJob[]> => listDead(db, { limit: listMax });

/** What came of a redrive: nothing when there is no such letter. */
export type Redriven = "redriven" | "has a job already" | undefined;

/**
 * Puts a dead job back into its queue, with all its tries before it. When its row has got a job meanwhile, that one
 * does what there is to do, and the letter is laid aside.
 */
export async function redriveDeadJob(db: Database, deadId: string): Promise<Redriven> {
	if (!uuid.test(deadId)) return undefined;
	const queue = await findDeadLetters(db, deadId);
	if (queue === undefined) return undefined;
	const moved = await bossWithin(asBossDb(db)).redrive(queue, { ids: [deadId] });
	return moved === 1 ? "redriven" : "has a job already";
}
