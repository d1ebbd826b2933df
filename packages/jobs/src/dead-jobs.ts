import type { Database } from "@lango/postgres";
import { asBossDb, bossWithin } from "./boss.ts";
import { type DeadJob, findDeadLetters, listDead } from "./jobs.store.ts";

const pageMax = 200;
const cursorForm = /^([0-9]{1,16})_([0-9a-f-]{36})$/;
const leastId = "00000000-0000-0000-0000-000000000000";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A page of the jobs whose last try failed, oldest first; the cursor is undefined on the last. Throws an Error when the cursor is none. */
export async function listDeadJobs(
	db: Database,
	{ cursor, limit = 100 }: { cursor?: string | undefined; limit?: number } = {},
): Promise<{ items: DeadJob[]; nextCursor: string | undefined }> {
	const [, micros = "0", deadId = leastId] = cursorForm.exec(cursor ?? `0_${leastId}`) ?? [];
	if (cursor !== undefined && (!cursorForm.test(cursor) || !uuid.test(deadId)))
		throw new Error("cursor is not one of this list");
	const size = Math.min(Math.max(limit, 1), pageMax);
	const rows = await listDead(db, { after: { micros: BigInt(micros), deadId }, limit: size + 1 });
	const items = rows.slice(0, size);
	const last = items.at(-1);
	const nextCursor = rows.length > size && last !== undefined ? `${last.micros}_${last.deadId}` : undefined;
	return { items: items.map(({ micros: _, ...dead }) => dead), nextCursor };
}

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
