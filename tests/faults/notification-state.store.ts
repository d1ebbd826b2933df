import { type Database, inTenant } from "@lango/postgres";
import pg from "pg";

/** A delivery as it is stored. `reports` is how many reports were applied to it. */
type StoredDelivery = {
	id: string;
	message_id: string;
	channel: string;
	status: string;
	attempt: number;
	failures: number;
	tries: number;
	ref: string | null;
	reports: number;
};

/** Lists the deliveries of a tenant. */
export function listDeliveries(owner: Database, tenantId: string): Promise<StoredDelivery[]> {
	return inTenant(owner, tenantId, (tx) =>
		tx.query<StoredDelivery>(
			`select d.id, d.message_id, d.channel, d.status, d.attempt, d.failures, d.tries, d.ref,
			        (select count(*)::integer from delivery_events e
			          where e.tenant_id = d.tenant_id and e.delivery_id = d.id and e.kind = 'report') as reports
			   from message_deliveries d`,
		),
	);
}

/** Lists the entries in the ledger of a tenant's credit that a payment made. */
export function listTopUps(owner: Database, tenantId: string): Promise<Array<{ segments: number }>> {
	return inTenant(owner, tenantId, (tx) =>
		tx.query<{ segments: number }>("select segments::integer from credit_entries where kind = 'top_up'"),
	);
}

/** Counts the events that are not published yet. */
export async function countUnpublished(owner: Database): Promise<number> {
	const [row] = await owner.query<{ n: number }>(
		"select count(*)::integer as n from outbox where published_at is null",
	);
	return row?.n ?? 0;
}

/** Counts the events that are not applied yet. */
export async function countUnapplied(owner: Database): Promise<number> {
	const [row] = await owner.query<{ n: number }>("select count(*)::integer as n from deliveries");
	return row?.n ?? 0;
}

/**
 * Ends the leases of a tenant's deliveries and the heartbeats of jobs, and lets reports be due that are tried
 * again later. Call it as the owner of the tables, while no process of the service runs.
 */
export async function letTimePass(owner: Database, tenantId: string): Promise<void> {
	await inTenant(owner, tenantId, (tx) =>
		tx.query("update message_deliveries set lease_until = now() where status = 'sending'"),
	);
	await owner.query("update provider_reports set due_at = now() where applied_at is null");
	await owner.query(
		"update pgboss.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'",
	);
}

/**
 * Holds statements that write to a table, until the returned function is called; with `access exclusive` also
 * statements that read it.
 */
export const blockTable = (
	ownerUrl: string,
	{ table, mode = "exclusive" }: { table: string; mode?: "exclusive" | "access exclusive" | undefined },
): Promise<() => Promise<void>> =>
	hold(ownerUrl, (client) => client.query(`lock table ${client.escapeIdentifier(table)} in ${mode} mode`));

/** Holds statements that lock a message, as recording results does, until the returned function is called. */
export const blockMessage = (
	ownerUrl: string,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<() => Promise<void>> =>
	hold(ownerUrl, async (client) => {
		await client.query(`set local app.tenant_id = ${client.escapeLiteral(tenantId)}`);
		const { rowCount } = await client.query(
			"select from messages where tenant_id = $1 and id = $2 for update",
			[tenantId, id],
		);
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
