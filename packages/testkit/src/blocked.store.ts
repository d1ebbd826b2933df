import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@lango/postgres";

const timeoutMs = 15_000;

/**
 * Waits until statements of this database wait for a lock, and returns their processes. `like` is a pattern
 * of the statement's text. Throws an Error if fewer than `count` wait after 15 s.
 */
export async function waitForBlockedQueries(
	db: Database,
	{ like = "%", count = 1 }: { like?: string; count?: number } = {},
): Promise<number[]> {
	const endAt = Date.now() + timeoutMs;
	for (;;) {
		const rows = await db.query<{ pid: number }>(
			`select pid from pg_stat_activity where wait_event_type = 'Lock' and query like $1
			    and datname = current_database() and pid <> pg_backend_pid()`,
			[like],
		);
		if (rows.length >= count) return rows.map(({ pid }) => pid);
		if (Date.now() > endAt) throw new Error(`no statement like ${like} waits for a lock`);
		await sleep(10);
	}
}
