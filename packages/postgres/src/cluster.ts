import type { Database } from "./transaction.ts";

/** Whether a database is distributed by Citus, and what its sessions lack. */
export type ClusterState = { isCluster: boolean; fault: string | undefined };

/**
 * Reads whether the database is distributed by Citus. Without `citus.propagate_set_commands`, the nodes do
 * not see the tenant that a transaction sets, and every list would be empty: `fault` says so.
 */
export async function readCluster(db: Database): Promise<ClusterState> {
	const [row] = await db.query<{ is_cluster: boolean; propagated: string | null }>(
		`select exists (select from pg_extension where extname = 'citus') as is_cluster,
		   current_setting('citus.propagate_set_commands', true) as propagated`,
	);
	const isCluster = row?.is_cluster === true;
	const isFaulty = isCluster && row.propagated !== "local";
	return {
		isCluster,
		fault: isFaulty
			? "the database is distributed by Citus and needs citus.propagate_set_commands = 'local': without it no row of a tenant is found"
			: undefined,
	};
}
