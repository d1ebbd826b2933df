import pg from "pg";

const commitLock = 17_031;

/**
 * Holds the commit of transactions that insert into a table, or update its rows, until the returned function
 * is called. Once it resolves, they are committed.
 */
export async function holdCommits(
	ownerUrl: string,
	{ table, on = "insert" }: { table: string; on?: "insert" | "update" },
): Promise<() => Promise<void>> {
	const client = new pg.Client({ connectionString: ownerUrl });
	await client.connect();
	const name = client.escapeIdentifier(table);
	await client.query(
		`create function hold_commit() returns trigger language plpgsql as
		 $$ begin perform pg_advisory_xact_lock(${commitLock}); return null; end $$;
		 create constraint trigger hold_commit after ${on} on ${name} deferrable initially deferred
		   for each row execute function hold_commit();
		 select pg_advisory_lock(${commitLock})`,
	);
	return async () => {
		await client.query(`select pg_advisory_unlock(${commitLock})`);
		await client.query("drop function hold_commit() cascade");
		await client.end();
	};
}
