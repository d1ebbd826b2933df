import { acrossTenants, type Database } from "@lango/postgres";

/** The details of the platform's audited actions, as text. */
export async function listAudited(db: Database, action: string): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ detail: string }>("select detail::text from platform_audit_log where action = $1", [action]),
	);
	return rows.map(({ detail }) => detail);
}
