import { withAdmin } from "@lango/postgres";
import type pg from "pg";

/** Counters of a database server. */
export type Counters = {
	statements: number;
	/** Pages that became dirty. */
	pages: number;
	walBytes: number;
	rows: Record<string, number>;
};

/** The tables that requests add rows to. */
const tables = [
	"browser_sessions",
	"sessions",
	"authorization_codes",
	"outbox",
	"audit_log",
	"credentials",
] as const;

/** The settings of PostgreSQL that allow counting statements. */
export const countable = {
	shared_preload_libraries: "pg_stat_statements",
	"pg_stat_statements.max": "10000",
};

/**
 * Starts or stops counting the statements that services send, without those inside functions. While they are
 * counted, the WAL contains no full pages, so that its bytes are those of the changes.
 */
export async function countStatements(url: string, isOn: boolean): Promise<void> {
	await withAdmin(url, async (client) => {
		await client.query("create extension if not exists pg_stat_statements");
		await client.query(`alter system set pg_stat_statements.track = '${isOn ? "top" : "none"}'`);
		await client.query(`alter system set full_page_writes = '${isOn ? "off" : "on"}'`);
		await client.query("select pg_reload_conf()");
	});
}

/** Reads the counters, and the statements of one database by its name. */
export async function readCounters(url: string, database: string): Promise<Counters> {
	return withAdmin(url, async (client) => {
		const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`).join(", ");
		const { rows: counted } = await client.query<Record<string, string>>(`select ${counts}`);
		const { rows } = await client.query<Record<string, string>>(
			`select pg_current_wal_lsn() - '0/0'::pg_lsn as wal_bytes, coalesce(sum(calls), 0) as statements,
			   coalesce(sum(shared_blks_dirtied), 0) as pages
			   from pg_stat_statements s join pg_database d on d.oid = s.dbid
			   join pg_roles r on r.oid = s.userid and not r.rolsuper
			  where d.datname = $1`,
			[database],
		);
		const [row = {}] = rows;
		return {
			statements: Number(row["statements"]),
			pages: Number(row["pages"]),
			walBytes: Number(row["wal_bytes"]),
			rows: Object.fromEntries(tables.map((table) => [table, Number(counted[0]?.[table])])),
		};
	});
}

/** Writes all dirty pages to disk before the next measurement. */
export async function checkpoint(url: string): Promise<void> {
	await withAdmin(url, (client) => client.query("checkpoint"));
}

export type TableSize = { table: string; rows: number; bytes: number };

/** The tables of a database with at least this number of rows, and their sizes with indexes and TOAST. */
export async function listSizes(url: string, rowsMin: number): Promise<TableSize[]> {
	return withAdmin(url, async (client) => {
		const { rows: names } = await client.query<{ table: string; bytes: string }>(
			`select relname as table, pg_total_relation_size(relid) as bytes
			   from pg_stat_user_tables where schemaname = 'public' order by relname`,
		);
		const sizes: TableSize[] = [];
		for (const { table, bytes } of names) {
			const { rows } = await client.query<{ n: string }>(
				`select count(*) as n from ${client.escapeIdentifier(table)}`,
			);
			sizes.push({ table, rows: Number(rows[0]?.n), bytes: Number(bytes) });
		}
		return sizes.filter(({ rows }) => rows >= rowsMin);
	});
}

/** Runs a file of deploy/sizes, which adds rows and rolls them back. Returns the bytes per row by table. */
export async function runSizes(url: string, script: string): Promise<Record<string, number>> {
	return withAdmin(url, async (client) => {
		// Commands of psql begin with a backslash.
		const results = (await client.query(script.replaceAll(/^\\.*$/gm, ""))) as unknown as pg.QueryResult[];
		const rows = results.flatMap((result) => result.rows as Array<Record<string, string>>);
		return Object.fromEntries(rows.map((row) => [row["table"] ?? "", Number(row["bytes a row"])]));
	});
}
