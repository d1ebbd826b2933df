import type { EventEnvelope } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { waitForRelayLock } from "./outbox.store.ts";

export type RefusedRow = {
	position: bigint;
	envelope: EventEnvelope;
	attempts: number;
	next_attempt_at: Date;
	waiting: number;
};

const waitingMax = 1_000;

/**
 * Lists events whose publication failed, after a position, in their order. `waiting` counts the events of the
 * same subject behind each, up to 1,000.
 */
export function listRefused(
	db: Database,
	{ after, limit }: { after: bigint; limit: number },
): Promise<RefusedRow[]> {
	return db.query<RefusedRow>(
		`select position, envelope, attempts, next_attempt_at,
		        (select count(*)::int from (
		           select from outbox e
		            where e.published_at is null and e.subject = o.subject and e.position > o.position
		            limit ${waitingMax}) e) as waiting
		   from outbox o
		  where published_at is null and next_attempt_at is not null and position > $1
		  order by position
		  limit $2`,
		[after, limit],
	);
}

/**
 * Removes an event whose publication failed, or returns undefined if it does not exist. Waits for the relay's
 * current batch, so that a removed event is not published at the same time.
 */
export async function removeRefused(
	tx: Database,
	position: bigint,
): Promise<{ envelope: EventEnvelope; attempts: number } | undefined> {
	await waitForRelayLock(tx);
	const [row] = await tx.query<{ envelope: EventEnvelope; attempts: number }>(
		`delete from outbox where position = $1 and published_at is null and next_attempt_at is not null
		 returning envelope, attempts`,
		[position],
	);
	return row;
}
