import type { Database } from "@lango/postgres";

export type DeliveryRow = {
	gateway: string;
	route: string;
	profile_id: string | null;
	token_hash: string | null;
	object_key: string;
	status: string;
	trust: string | null;
	error: string | null;
	duplicates: number;
	headers: Record<string, string>;
	raw: Buffer;
};

/** All stored deliveries, the first first. */
export const listRows = (db: Database) =>
	db.query<DeliveryRow>(
		`select gateway, route, profile_id, token_hash, object_key, status, trust, error, duplicates, headers, raw
		   from webhook_deliveries order by id`,
	);

/** The objects for which a job waits. */
export const listWaiting = async (db: Database): Promise<string[]> => {
	const rows = await db.query<{ id: string }>(
		"select data->>'id' as id from pgboss.job where name = 'inbox.apply' and state = 'created' order by id",
	);
	return rows.map(({ id }) => id);
};

/** Removes all deliveries and their jobs. */
export async function clearInbox(db: Database): Promise<void> {
	await db.query("delete from webhook_deliveries");
	await db.query("delete from pgboss.job where name = 'inbox.apply'");
}
