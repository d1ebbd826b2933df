import { type Database, inTenant } from "@lango/postgres";

/** A bill as it is stored, with its attempts and what was collected. */
export type StoredBill = {
	status: string;
	attempts: Array<{ status: string; is_named: boolean }>;
	payments: number;
	receipts: number;
	/** Journals of its receipts. */
	journals: number;
};

/** Returns the intent of an operation; undefined if it does not exist. */
export async function findBill(
	owner: Database,
	{ tenantId, operationId }: { tenantId: string; operationId: string },
): Promise<StoredBill | undefined> {
	const [row] = await inTenant(owner, tenantId, (tx) =>
		tx.query<StoredBill>(
			`select i.status,
			        (select coalesce(json_agg(json_build_object('status', a.status, 'is_named', a.checkout_request_id is not null)
			                order by a.seq), '[]') from attempts a where a.intent_id = i.id) as attempts,
			        (select count(*)::integer from payments p where p.intent_id = i.id) as payments,
			        (select count(*)::integer from receipts r where r.account_ref = i.account_code) as receipts,
			        (select count(*)::integer from journals j join receipts r on j.source_type = 'receipt' and j.source_id = r.id
			          where r.account_ref = i.account_code) as journals
			   from intents i where i.operation_id = $1`,
			[operationId],
		),
	);
	return row;
}

/** What a settlement did: how often each journal was posted, and what a tenant has of it. */
export type SettledState = { settlements: number; releases: number; pending: number; available: number };

/** Returns what settlements did to the money of a tenant. */
export async function findSettled(owner: Database, tenantId: string): Promise<SettledState> {
	const [posted] = await owner.query<Pick<SettledState, "settlements">>(
		"select count(*)::integer as settlements from journals where purpose = 'settlement'",
	);
	const [released] = await inTenant(owner, tenantId, (tx) =>
		tx.query<Omit<SettledState, "settlements">>(
			`select (select count(*)::integer from journals where purpose = 'release' and tenant_id = $1) as releases,
			        coalesce((sum(balance_minor) filter (where code = 'tenant.pending'))::integer, 0) as pending,
			        coalesce((sum(balance_minor) filter (where code = 'tenant.available'))::integer, 0) as available
			   from tenant_balances()`,
			[tenantId],
		),
	);
	if (posted === undefined || released === undefined) throw new Error("a count returned no row");
	return { ...posted, ...released };
}

/** A payout as it is stored, with the purposes of its journals. */
export type StoredPayout = { status: string; reference: string; sends: number; journals: string[] };

/** Returns a payout; undefined if it does not exist. */
export async function findPayout(
	owner: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<StoredPayout | undefined> {
	const [row] = await inTenant(owner, tenantId, (tx) =>
		tx.query<StoredPayout>(
			`select p.status, p.reference, p.sends,
			        (select coalesce(json_agg(j.purpose order by j.id), '[]') from journals j
			          where j.source_type = 'payout' and j.source_id = p.id) as journals
			   from payouts p where p.id = $1`,
			[id],
		),
	);
	return row;
}

/** A refund as it is stored, with the purposes of its journals. */
export type StoredRefund = { status: string; journals: string[] };

/** Returns a refund; undefined if it does not exist. */
export async function findRefund(
	owner: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<StoredRefund | undefined> {
	const [row] = await inTenant(owner, tenantId, (tx) =>
		tx.query<StoredRefund>(
			`select f.status,
			        (select coalesce(json_agg(j.purpose order by j.id), '[]') from journals j
			          where j.source_type = 'refund' and j.source_id = f.id) as journals
			   from refunds f where f.id = $1`,
			[id],
		),
	);
	return row;
}

/** Returns the id of the payment of an intent; undefined if it has none. */
export async function findPayment(
	owner: Database,
	{ tenantId, intentId }: { tenantId: string; intentId: string },
): Promise<string | undefined> {
	const [row] = await inTenant(owner, tenantId, (tx) =>
		tx.query<{ id: string }>("select id from payments where intent_id = $1", [intentId]),
	);
	return row?.id;
}

/** Moves what a tenant received two days into the past: the gateway does not reverse it any more. */
export const ageReceipts = (owner: Database, tenantId: string): Promise<unknown> =>
	inTenant(owner, tenantId, (tx) =>
		tx.query("update receipts set occurred_at = occurred_at - interval '2 days'"),
	);

/** Counts the questions about a request from a tenant's shortcode that the gateway answered. */
export async function countAnswered(
	owner: Database,
	{ tenantId, originatorId }: { tenantId: string; originatorId: string },
): Promise<number> {
	const rows = await inTenant(owner, tenantId, (tx) =>
		tx.query("select from gateway_queries where originator_id = $1 and ended_at is not null", [originatorId]),
	);
	return rows.length;
}

/** Ends the connections whose statements wait for a lock. */
export async function endBlocked(db: Database): Promise<void> {
	await db.query(
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
	);
}

/** Counts the deliveries of gateways that are not applied yet, and the duplicates of all. */
export async function countDeliveries(owner: Database): Promise<{ waiting: number; duplicates: number }> {
	const [row] = await owner.query<{ waiting: number; duplicates: number }>(
		`select (count(*) filter (where status = 'received'))::integer as waiting, coalesce(sum(duplicates), 0)::integer as duplicates
		   from webhook_deliveries`,
	);
	return row ?? { waiting: 0, duplicates: 0 };
}

/** Whether a process renews the access token of the mobile-money gateway. */
export async function isRenewing(owner: Database): Promise<boolean> {
	const rows = await owner.query("select 1 from platform_gateway_tokens where renewing_until > now()");
	return rows.length > 0;
}

/** Returns how many access tokens of the mobile-money gateway were fetched. */
export async function findTokenGeneration(owner: Database): Promise<number> {
	const [row] = await owner.query<{ all: number }>(
		"select sum(generation)::integer as all from platform_gateway_tokens",
	);
	return row?.all ?? 0;
}

/** Ends the access tokens of the mobile-money gateway. */
export async function endTokens(owner: Database): Promise<void> {
	await owner.query("update platform_gateway_tokens set expires_at = now(), renewing_until = null");
}

/** Moves what is open, leases, heartbeats and what waits for its time ten minutes into the past. */
export async function passTenMinutes(owner: Database, tenantIds: readonly string[]): Promise<void> {
	for (const tenantId of tenantIds)
		await inTenant(owner, tenantId, async (tx) => {
			await tx.query(
				`update payouts set submitted_at = submitted_at - interval '10 minutes', next_check_at = next_check_at - interval '10 minutes'
				  where ended_at is null`,
			);
			await tx.query(
				"update refunds set next_check_at = next_check_at - interval '10 minutes' where ended_at is null",
			);
			await tx.query(
				`update attempts set submitted_at = submitted_at - interval '10 minutes', expires_at = expires_at - interval '10 minutes',
				   next_check_at = next_check_at - interval '10 minutes' where ended_at is null`,
			);
		});
	await owner.query(
		"update platform_gateway_tokens set renewing_until = renewing_until - interval '10 minutes'",
	);
	await owner.query(
		`update pgboss.job set start_after = start_after - interval '10 minutes', heartbeat_on = heartbeat_on - interval '10 minutes'
		  where state in ('created', 'retry', 'active')`,
	);
}
