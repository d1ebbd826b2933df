import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@lango/postgres";

const timeoutMs = 15_000;

/**
 * Waits until statements of this database wait for a lock, on a cluster also on another node, and returns
 * their processes. `like` is a pattern of the statement's text. Throws an Error if fewer than `count` wait
 * after 15 s.
 */
export async function waitForBlockedQueries(
	db: Database,
	{ like = "%", count = 1 }: { like?: string; count?: number } = {},
): Promise<number[]> {
	const [row] = await db.query("select to_regclass('citus_lock_waits') is not null as is_cluster");
	const blocked = row?.["is_cluster"] === true ? blockedOnCluster : blockedHere;
	const endAt = Date.now() + timeoutMs;
	for (;;) {
		const rows = await db.query<{ pid: number }>(blocked, [like]);
		if (rows.length >= count) return rows.map(({ pid }) => pid);
		if (Date.now() > endAt) throw new Error(`no statement like ${like} waits for a lock`);
		await sleep(10);
	}
}

const blockedHere = `
	select pid from pg_stat_activity where wait_event_type = 'Lock' and query like $1
	   and datname = current_database() and pid <> pg_backend_pid()`;

/** A global process id ends with the ten digits of the process on its node. */
const blockedOnCluster = `${blockedHere}
	 union select (waiting_gpid % 10000000000)::int from citus_lock_waits where blocked_statement like $1`;
