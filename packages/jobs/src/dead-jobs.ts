import { type Database, isUuid } from "@lango/postgres";
import { asBossDb, bossWithin } from "./boss.ts";
import { type DeadJob, findDeadLetters, listDead } from "./jobs.store.ts";

const pageMax = 200;
const cursorForm = /^([0-9]{1,16})_([0-9a-f-]{36})$/;
const leastId = "00000000-0000-0000-0000-000000000000";

/**
 * Lists a page of dead letters, oldest first. The cursor is undefined on the last page. Throws an Error if
 * the given cursor is invalid.
 */
export async function listDeadJobs(
	db: Database,
	{ cursor, limit = 100 }: { cursor?: string | undefined; limit?: number } = {},
): Promise<{ items: DeadJob[]; nextCursor: string | undefined }> {
	const [, micros = "0", deadId = leastId] = cursorForm.exec(cursor ?? `0_${leastId}`) ?? [];
	if (cursor !== undefined && (!cursorForm.test(cursor) || !isUuid(deadId)))
		throw new Error("the cursor is invalid");
	const size = Math.min(Math.max(limit, 1), pageMax);
	const rows = await listDead(db, { after: { micros: BigInt(micros), deadId }, limit: size + 1 });
	const items = rows.slice(0, size);
	const last = items.at(-1);
	const nextCursor = rows.length > size && last !== undefined ? `${last.micros}_${last.deadId}` : undefined;
	return { items: items.map(({ micros: _, ...dead }) => dead), nextCursor };
}

/** The outcome of a redrive. Undefined: the dead letter does not exist. */
export type Redriven = "redriven" | "has a job already" | undefined;

/**
 * Returns a dead letter to its queue with a full number of attempts. If a new job exists for the row by now,
 * that job does the work, and the dead letter is removed.
 */
export async function redriveDeadJob(db: Database, deadId: string): Promise<Redriven> {
	if (!isUuid(deadId)) return undefined;
	const queue = await findDeadLetters(db, deadId);
	if (queue === undefined) return undefined;
	const moved = await bossWithin(asBossDb(db)).redrive(queue, { ids: [deadId] });
	return moved === 1 ? "redriven" : "has a job already";
}
