import pg from "pg";

/** How far counters of a database server have come. */
export type Counters = {
	statements: number;
	/** Pages that were clean and are not any more. */
	pages: number;
	walBytes: number;
	rows: Record<string, number>;
};

/** What requests leave behind. */
const tables = [
	"browser_sessions",
	"sessions",
	"authorization_codes",
	"outbox",
	"audit_log",
	"credentials",
] as const;

/** What PostgreSQL is started with so that statements can be counted. */
export const countable = {
	shared_preload_libraries: "pg_stat_statements",
	"pg_stat_statements.max": "10000",
};

/**
 * Has the statements that services send (not those inside functions) counted from now on, or not any more. While they are, the log of
 * changes has no whole pages in it, so that its bytes are those of the changes.
 */
export async function countStatements(url: string, isOn: boolean): Promise<void> {
	await withClient(url, async (client) => {
		await client.query("create extension if not exists pg_stat_statements");
		await client.query(`alter system set pg_stat_statements.track = '${isOn ? "top" : "none"}'`);
		await client.query(`alter system set full_page_writes = '${isOn ? "off" : "on"}'`);
		await client.query("select pg_reload_conf()");
	});
}

/** Reads the counters; statements of one database, by its name. */
export async function readCounters(url: string, database: string): Promise<Counters> {
	return withClient(url, async (client) => {
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

/** Writes everything down, so that what is measured next begins with it done. */
export async function checkpoint(url: string): Promise<void> {
	await withClient(url, (client) => client.query("checkpoint"));
}

export type TableSize = { table: string; rows: number; bytes: number };

/** Every table of a database with so many rows or more, with its indexes and what is stored outside its rows. */
export async function listSizes(url: string, rowsMin: number): Promise<TableSize[]> {
	return withClient(url, async (client) => {
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

/** The lines of a file of deploy/sizes: bytes a row, by table. It makes rows and takes them back. */
export async function runSizes(url: string, script: string): Promise<Record<string, number>> {
	return withClient(url, async (client) => {
		// As psql does it, whose own commands begin with a backslash.
		const results = (await client.query(script.replaceAll(/^\\.*$/gm, ""))) as unknown as pg.QueryResult[];
		const rows = results.flatMap((result) => result.rows as Array<Record<string, string>>);
		return Object.fromEntries(rows.map((row) => [row["table"] ?? "", Number(row["bytes a row"])]));
	});
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = new pg.Client({ connectionString: url, application_name: "bench" });
	await client.connect();
	try {
		return await work(client);
	} finally {
		await client.end();
	}
}
