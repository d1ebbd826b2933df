import { setTimeout as sleep } from "node:timers/promises";
import { type Database, openPool } from "@lango/postgres";

/**
 * The statements that the database received during some work, with repetitions, and the pages that they
 * read.
 */
type Asked = { statements: string[]; pages: number };

/** PostgreSQL's own account (pg_stat_statements) of what a service asks of its database. */
export type StatementCount = {
	during(work: () => Promise<unknown>): Promise<Asked>;
	/** Arranges something as the administrator, who sees the rows of every tenant. */
	arrange(sql: string, values?: readonly unknown[]): Promise<void>;
	close(): Promise<void>;
};

type Row = { queryid: bigint; query: string; calls: bigint; pages: bigint };

/** Statements that a service sends by itself from time to time, independent of requests. */
const ownWork = "outbox|inbox|deliveries|readings|signing_keys|purge_|^listen ";
const quietMsMax = 10_000;

/**
 * Counts for the database of `ownerUrl`, for the service's role, without the service's background
 * statements. Throws when the server has not loaded pg_stat_statements; the one that tests start does.
 */
export async function openStatementCount(ownerUrl: string): Promise<StatementCount> {
	const adminUrl = new URL(process.env.TEST_DATABASE_URL ?? "");
	const database = new URL(ownerUrl).pathname.slice(1);
	adminUrl.pathname = `/${database}`;
	const admin = openPool({ url: adminUrl.href, name: "statements", sizeMax: 1 });
	const loaded = await admin.query<{ shared_preload_libraries: string }>("show shared_preload_libraries");
	if (!loaded[0]?.shared_preload_libraries.includes("pg_stat_statements")) {
		await admin.close();
		throw new Error(
			"The PostgreSQL of the tests has not loaded pg_stat_statements: set shared_preload_libraries and restart it (one that tests started earlier ends with the last run that uses it).",
		);
	}
	await admin.query("create extension if not exists pg_stat_statements");
	const read = async () => {
		const rows = await admin.query<Row>(
			// Materialized: the pattern is not tried on the statements of every other test's database, which
			// takes seconds.
			`with here as materialized (
			   select s.* from pg_stat_statements s join pg_roles r on r.oid = s.userid
			    where dbid = (select oid from pg_database where datname = current_database()) and rolname like '%\\_app')
			 select queryid, min(query) as query, sum(calls)::int8 as calls, sum(shared_blks_hit + shared_blks_read)::int8 as pages
			   from here where query !~ $1 group by queryid`,
			[ownWork],
		);
		return new Map(rows.map((row) => [row.queryid, row]));
	};
	return {
		async during(work) {
			await becomesQuiet(admin);
			const before = await read();
			await work();
			const changes = [...(await read()).values()].map(({ queryid, query, calls, pages }) => {
				const earlier = before.get(queryid);
				return {
					query,
					calls: Number(calls - (earlier?.calls ?? 0n)),
					pages: Number(pages - (earlier?.pages ?? 0n)),
				};
			});
			return {
				statements: changes.flatMap(({ query, calls }) => Array<string>(calls).fill(query)),
				pages: changes.reduce((sum, { pages }) => sum + pages, 0),
			};
		},
		arrange: async (sql, values = []) => void (await admin.query(sql, values)),
		close: () => admin.close(),
	};
}

/** Waits until every event so far is published and nothing is in progress. */
async function becomesQuiet(admin: Database): Promise<void> {
	const end = Date.now() + quietMsMax;
	for (;;) {
		const [row] = await admin.query<{ busy: boolean }>(
			`select exists (select from outbox where published_at is null) or exists (select from pg_stat_activity
			   where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle') as busy`,
		);
		if (row?.busy === false) return;
		if (Date.now() > end) throw new Error("the service did not come to rest");
		await sleep(20);
	}
}
