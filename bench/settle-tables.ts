import type pg from "pg";

/** Autovacuum takes a table's statistics once more than so many of its rows have changed (autovacuum_analyze_threshold). */
const changesMin = 50;

/**
 * Leaves a database as PostgreSQL itself does within a minute: filled tables are vacuumed and their statistics taken, and nothing waits to be
 * written out. Of a table that nobody has filled it takes none; taken all the same, they would say that it is empty, and every plan made from
 * then on would read the whole table, however it grows.
 */
export async function settleTables(client: Pick<pg.Client, "query">): Promise<void> {
	await client.query("select pg_stat_force_next_flush()");
	const { rows } = await client.query<{ name: string }>(
		"select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables where n_mod_since_analyze > $1",
		[changesMin],
	);
	if (rows.length > 0) await client.query(`vacuum (analyze) ${rows.map(({ name }) => name).join(", ")}`);
	await client.query("checkpoint");
}
