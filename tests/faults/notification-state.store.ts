import type { Database } from "@lango/postgres";
import pg from "pg";

/** A delivery as it is stored. */
export type StoredDelivery = { id: string; message_id: string; status: string; attempt: number };

/** All deliveries. Call it as the owner of the tables, who sees the rows of all tenants. */
export function listDeliveries(owner: Database): Promise<StoredDelivery[]> {
	return owner.query<StoredDelivery>("select id, message_id, status, attempt from message_deliveries");
}

/** Holds statements that write to a table, until the returned function is called. */
export const blockTable = (ownerUrl: string, table: string): Promise<() => Promise<void>> =>
	hold(ownerUrl, (client) => client.query(`lock table ${client.escapeIdentifier(table)} in exclusive mode`));

/** Holds statements that lock a message, as recording results does, until the returned function is called. */
export const blockMessage = (
	ownerUrl: string,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<() => Promise<void>> =>
	hold(ownerUrl, async (client) => {
		await client.query("select set_config('app.tenant_id', $1, true)", [tenantId]);
		const { rowCount } = await client.query("select from messages where id = $1 for update", [id]);
		if (rowCount !== 1) throw new Error(`there is no message ${id}`);
	});

async function hold(
	ownerUrl: string,
	lock: (client: pg.Client) => Promise<unknown>,
): Promise<() => Promise<void>> {
	const client = new pg.Client({ connectionString: ownerUrl });
	await client.connect();
	await client.query("begin");
	await lock(client);
	return () => client.end();
}
