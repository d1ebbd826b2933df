import type pg from "pg";

/** Autovacuum analyzes a table after more than this number of changed rows (autovacuum_analyze_threshold). */
const changesMin = 50;

/**
 * Brings a database to the state that PostgreSQL reaches by itself within a minute: filled tables are
 * vacuumed and analyzed, and dirty pages are written. Empty tables are not analyzed: their statistics would
 * say that they are empty, and every later plan would scan the whole table, however it grows.
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
