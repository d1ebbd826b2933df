import type { Database } from "@lango/postgres";

/** A message and its deliveries as `accept_message` takes them; byte strings are in hex. */
export type NewMessage = {
	message: Readonly<Record<string, unknown>>;
	deliveries: ReadonlyArray<Readonly<Record<string, unknown>>>;
	rules: Readonly<Record<string, unknown>>;
};

/** What `accept_message` did. */
export type Accepted = {
	messageId: string;
	isReplayed: boolean;
	/** Deliveries that are queued. */
	pending: number;
	/** Deliveries by status. */
	counts: Readonly<Record<string, number>>;
};

/**
 * Accepts a message in the caller's transaction. Call it inside the tenant. Throws the database's error with
 * the code LN001 (key reused), LN002 (daily limit), LN003 (more recipients than the burst) or LN004 (channel
 * limit).
 */
export async function recordMessage(
	tx: Database,
	{ message, deliveries, rules }: NewMessage,
	now: Date,
): Promise<Accepted> {
	const [row] = await tx.query<{
		message_id: string;
		is_replayed: boolean;
		pending: number;
		counts: Record<string, number>;
	}>("select message_id, is_replayed, pending, counts from accept_message($1, $2, $3, $4)", [
		JSON.stringify(message),
		JSON.stringify(deliveries),
		JSON.stringify(rules),
		now,
	]);
	if (row === undefined) throw new Error("accept_message returned no row");
	return {
		messageId: row.message_id,
		isReplayed: row.is_replayed,
		pending: row.pending,
		counts: row.counts,
	};
}
