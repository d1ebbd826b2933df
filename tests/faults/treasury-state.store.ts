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
	return inTenant(owner, tenantId, async (tx) => {
		const [intent] = await tx.query<{ id: string; status: string; account_code: string }>(
			"select id, status, account_code from intents where tenant_id = $1 and operation_id = $2",
			[tenantId, operationId],
		);
		if (intent === undefined) return undefined;
		const attempts = await tx.query<{ status: string; is_named: boolean }>(
			`select status, checkout_request_id is not null as is_named from attempts
			  where tenant_id = $1 and intent_id = $2 order by seq`,
			[tenantId, intent.id],
		);
		const payments = await tx.query("select 1 from payments where tenant_id = $1 and intent_id = $2", [
			...[tenantId, intent.id],
		]);
		const receipts = await tx.query<{ id: string }>(
			"select id from receipts where tenant_id = $1 and account_ref = $2",
			[tenantId, intent.account_code],
		);
		const journals = await tx.query(
			"select 1 from journals where source_type = 'receipt' and source_id = any ($1::uuid[])",
			[receipts.map(({ id }) => id)],
		);
		return {
			...{ status: intent.status, attempts, payments: payments.length, receipts: receipts.length },
			journals: journals.length,
		};
	});
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
	return inTenant(owner, tenantId, async (tx) => {
		const [row] = await tx.query<Omit<StoredPayout, "journals">>(
			"select status, reference, sends from payouts where tenant_id = $1 and id = $2",
			[tenantId, id],
		);
		return row && { ...row, journals: await listPurposes(tx, { type: "payout", id }) };
	});
}

/** Lists the purposes of what was posted of a payout or a refund. */
async function listPurposes(
	tx: Database,
	{ type, id }: { type: "payout" | "refund"; id: string },
): Promise<string[]> {
	const rows = await tx.query<{ purpose: string }>(
		"select purpose from journals where source_type = $1 and source_id = $2 order by id",
		[type, id],
	);
	return rows.map(({ purpose }) => purpose);
}

/** A refund as it is stored, with the purposes of its journals. */
export type StoredRefund = { status: string; journals: string[] };

/** Returns a refund; undefined if it does not exist. */
export async function findRefund(
	owner: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<StoredRefund | undefined> {
	return inTenant(owner, tenantId, async (tx) => {
		const [row] = await tx.query<Omit<StoredRefund, "journals">>(
			"select status from refunds where tenant_id = $1 and id = $2",
			[tenantId, id],
		);
		return row && { ...row, journals: await listPurposes(tx, { type: "refund", id }) };
	});
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

/** Sets a time to an earlier one, in a form that the nodes of a cluster accept. */
const earlier = (column: string, by = "10 minutes") =>
	`${column} = (${column} at time zone 'UTC' - interval '${by}') at time zone 'UTC'`;

/** Moves what a tenant received two days into the past: the gateway does not reverse it any more. */
export const ageReceipts = (owner: Database, tenantId: string): Promise<unknown> =>
	inTenant(owner, tenantId, (tx) => tx.query(`update receipts set ${earlier("occurred_at", "2 days")}`));

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
				`update payouts set ${earlier("submitted_at")}, ${earlier("next_check_at")} where ended_at is null`,
			);
			await tx.query(`update refunds set ${earlier("next_check_at")} where ended_at is null`);
			await tx.query(
				`update attempts set ${earlier("submitted_at")}, ${earlier("expires_at")}, ${earlier("next_check_at")}
				  where ended_at is null`,
			);
		});
	await owner.query(`update platform_gateway_tokens set ${earlier("renewing_until")}`);
	await owner.query(
		`update pgboss.job set start_after = start_after - interval '10 minutes', heartbeat_on = heartbeat_on - interval '10 minutes'
		  where state in ('created', 'retry', 'active')`,
	);
}
