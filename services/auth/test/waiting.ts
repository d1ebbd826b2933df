import type { Database } from "@lango/postgres";
import { expect } from "vitest";

/**
 * Waits until a statement that contains `part` has been in progress for a moment, because it waits for a
 * lock. On a cluster it waits on the node of its rows, so this server does not show what it waits for.
 */
export async function statementWaits(db: Database, part: string): Promise<void> {
	const list = () =>
		db.query(
			`select pid from pg_stat_activity
			  where state = 'active' and strpos(query, $1) > 0 and clock_timestamp() - query_start > interval '300 ms'
			    and datname = current_database() and pid <> pg_backend_pid()`,
			[part],
		);
	await expect.poll(list).not.toEqual([]);
}
