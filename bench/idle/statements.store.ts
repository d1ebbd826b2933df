import { withAdmin } from "@lango/postgres";

export type IdleStatement = { text: string; calls: number };

/** The statements of all databases since the counts were reset, most frequent first. */
export async function listIdleStatements(adminUrl: string): Promise<IdleStatement[]> {
	return withAdmin(adminUrl, async (client) => {
		const { rows } = await client.query<IdleStatement>(
			`select left(regexp_replace(query, '\\s+', ' ', 'g'), 100) as text, sum(calls)::int as calls
			   from pg_stat_statements s join pg_database d on d.oid = s.dbid
			  where d.datname <> 'postgres'
			  group by 1 order by 2 desc, 1`,
		);
		return rows;
	});
}
