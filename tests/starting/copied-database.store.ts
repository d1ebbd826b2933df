import { join } from "node:path";
import pg from "pg";

type Table = { name: string; columns: string };

/** Runs `work` as the administrator of a server, in one of its databases. */
export async function inDatabase<T>(
	adminUrl: string,
	database: string,
	work: (admin: pg.Client) => Promise<T>,
): Promise<T> {
	const url = new URL(adminUrl);
	url.pathname = `/${database}`;
	const admin = new pg.Client({ connectionString: url.toString(), statement_timeout: 60_000 });
	await admin.connect();
	try {
		return await work(admin);
	} finally {
		await admin.end();
	}
}

/** Every table with what it holds itself: partitions are read and written through what they are parts of. */
async function listTables(admin: pg.Client): Promise<Table[]> {
	const { rows } = await admin.query<Table>(
		`select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
		   from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
		  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(pg_|information_schema)'
		    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
		  group by c.oid order by 1`,
	);
	return rows;
}

async function listSequences(admin: pg.Client): Promise<Array<{ name: string; value: string | null }>> {
	const { rows } = await admin.query<{ name: string; value: string | null }>(
		"select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences order by 1",
	);
	return rows;
}

/** What a database holds, by table and sequence: how many rows, and a sum over them all. */
export async function digestOf(adminUrl: string, database: string): Promise<Record<string, string>> {
	return inDatabase(adminUrl, database, async (admin) => {
		const found: Record<string, string> = {};
		await admin.query("set timezone = 'UTC'");
		for (const { name } of await listTables(admin)) {
			const { rows } = await admin.query<{ sum: string }>(
				`select count(*) || ' ' || coalesce(md5(string_agg(t::text, e'\\n' order by t::text)), '') as sum from ${name} t`,
			);
			found[name] = rows[0]?.sum ?? "";
		}
		for (const { name, value } of await listSequences(admin)) found[name] = value ?? "unused";
		const { rows } = await admin.query<{ may: string }>(
			"select datdba::regrole || ' ' || datacl::text as may from pg_database where datname = current_database()",
		);
		found["who may"] = rows[0]?.may ?? "";
		return found;
	});
}

/**
 * Copies each table into a file of `folder`, which the server must be able to write, all as of one moment.
 */
export async function copyOut(adminUrl: string, database: string, folder: string): Promise<void> {
	await inDatabase(adminUrl, database, async (admin) => {
		await admin.query("begin isolation level repeatable read");
		for (const { name, columns } of await listTables(admin))
			await admin.query(`copy (select ${columns} from ${name}) to '${fileOf(folder, database, name)}'`);
		const sequences = await listSequences(admin);
		await admin.query(
			`copy (select * from json_to_recordset('${JSON.stringify(sequences)}') as s(name text, value text))
			   to '${fileOf(folder, database, "sequences")}'`,
		);
		await admin.query("commit");
	});
}

/** Fills the tables, which migrations have made, with what `copyOut` wrote, and nothing else. */
export async function copyIn(adminUrl: string, database: string, folder: string): Promise<void> {
	await inDatabase(adminUrl, database, async (admin) => {
		const tables = await listTables(admin);
		await admin.query("begin; set local session_replication_role = replica");
		await admin.query(`truncate ${tables.map(({ name }) => name).join(", ")}`);
		for (const { name, columns } of tables)
			await admin.query(`copy ${name} (${columns}) from '${fileOf(folder, database, name)}'`);
		await admin.query("create temp table sequences_then (name text, value bigint) on commit drop");
		await admin.query(`copy sequences_then from '${fileOf(folder, database, "sequences")}'`);
		await admin.query("select setval(name::regclass, value) from sequences_then where value is not null");
		await admin.query("commit");
	});
}

const fileOf = (folder: string, database: string, table: string) =>
	join(folder, `${database}-${table.replaceAll('"', "")}.copy`);
