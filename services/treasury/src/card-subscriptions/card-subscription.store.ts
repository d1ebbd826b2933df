import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import type { Payee } from "../payments/intent.ts";
import type { CardSubscription, CardSubscriptionStatus } from "./card-subscription.ts";

type Row = {
	tenant_id: string;
	id: string;
	payee: Payee;
	status: CardSubscriptionStatus;
	plan_id: string;
	plan_name: string;
	frequency: CardSubscription["plan"]["frequency"];
	amount_minor: string;
	currency: string;
	authorization_id: string;
	card: CardSubscription["card"];
	customer_code: string;
	subscription_code: string | null;
	email_token_key_id: string | null;
	email_token_sealed: Buffer | null;
	next_payment_at: Date | null;
	failure_code: string | null;
	is_stopped_here: boolean;
	executions: number;
	last_executed_at: Date | null;
	version: number;
	fingerprint: Buffer;
	created_at: Date;
	ended_at: Date | null;
};

const selected = `select s.tenant_id, s.id, s.payee, s.status, s.plan_id, p.name as plan_name, p.frequency, p.amount_minor, p.currency,
	  s.authorization_id, case when a.id is null then null else jsonb_build_object('brand', a.brand, 'last4', a.last4,
	    'expMonth', a.exp_month, 'expYear', a.exp_year) end as card,
	  s.customer_code, s.subscription_code, s.email_token_key_id, s.email_token_sealed, s.next_payment_at, s.failure_code,
	  s.is_stopped_here, s.executions, s.last_executed_at, s.version, s.fingerprint, s.created_at, s.ended_at
	from card_subscriptions s join card_plans p on p.tenant_id = s.tenant_id and p.id = s.plan_id
	left join card_authorizations a on a.tenant_id = s.tenant_id and a.id = s.authorization_id
	where s.tenant_id = $1`;

/** A subscription with the hash of its request: the same key with another hash is refused. */
export type StoredSubscription = CardSubscription & { fingerprint: Buffer };

const fromRow = (row: Row): StoredSubscription => ({
	...{ tenantId: row.tenant_id, id: row.id, payee: row.payee, status: row.status },
	plan: {
		...{ id: row.plan_id, name: row.plan_name, frequency: row.frequency },
		...{ amountMinor: BigInt(row.amount_minor), currency: row.currency },
	},
	...{ authorizationId: row.authorization_id, card: row.card, customerCode: row.customer_code },
	subscriptionCode: row.subscription_code,
	emailToken:
		row.email_token_key_id === null || row.email_token_sealed === null
			? null
			: { keyId: row.email_token_key_id, sealed: row.email_token_sealed },
	...{ nextPaymentAt: row.next_payment_at, failureCode: row.failure_code },
	...{ isStoppedHere: row.is_stopped_here, executions: row.executions },
	...{ lastExecutedAt: row.last_executed_at, version: row.version, fingerprint: row.fingerprint },
	...{ createdAt: row.created_at, endedAt: row.ended_at },
});

export type NewSubscription = Pick<
	StoredSubscription,
	"tenantId" | "id" | "payee" | "authorizationId" | "customerCode" | "fingerprint" | "createdAt"
> & { planId: string; createdBy: { kind: string; id: string }; idempotencyKey: string | undefined };

/**
 * Records a subscription that the gateway is about to be asked for. Returns false if there is one of its
 * Idempotency-Key, or the payer has one of the plan. Call it inside the tenant.
 */
export async function recordSubscription(tx: Database, one: NewSubscription): Promise<boolean> {
	const rows = await tx.query(
		`insert into card_subscriptions (tenant_id, id, payee, status, plan_id, authorization_id, customer_code, version,
		   created_by_kind, created_by, idempotency_key, fingerprint, created_at)
		 values ($1, $2, $3, 'creating', $4, $5, $6, 1, $7, $8, $9, $10, $11) on conflict do nothing returning id`,
		[
			...[one.tenantId, one.id, one.payee, one.planId, one.authorizationId, one.customerCode],
			...[one.createdBy.kind, one.createdBy.id, one.idempotencyKey ?? null, one.fingerprint, one.createdAt],
		],
	);
	return rows.length > 0;
}

/** Removes a subscription that the gateway did not take now. Call it inside the tenant. */
export async function removeSubscription(tx: Database, id: string): Promise<void> {
	await tx.query("delete from card_subscriptions where tenant_id = $2 and id = $1 and status = 'creating'", [
		id,
		currentTenant(tx),
	]);
}

/** Returns the subscription that a caller made with an Idempotency-Key. Call it inside the tenant. */
export async function findSubscriptionByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: NewSubscription["createdBy"]; key: string },
): Promise<StoredSubscription | undefined> {
	const [row] = await tx.query<Row>(
		`${selected} and s.created_by_kind = $2 and s.created_by = $3 and s.idempotency_key = $4`,
		[currentTenant(tx), createdBy.kind, createdBy.id, key],
	);
	return row && fromRow(row);
}

/** Returns a subscription. Call it inside the tenant. */
export async function findSubscription(tx: Database, id: string): Promise<StoredSubscription | undefined> {
	const [row] = await tx.query<Row>(`${selected} and s.id = $2`, [currentTenant(tx), id]);
	return row && fromRow(row);
}

/** Returns a subscription, locked. Call it inside the tenant. */
export async function lockSubscription(tx: Database, id: string): Promise<StoredSubscription | undefined> {
	const [row] = await tx.query<Row>(`${selected} and s.id = $2 for update of s`, [currentTenant(tx), id]);
	return row && fromRow(row);
}

/**
 * Lists the subscriptions that charge cards for the tenant's bills, the last first. Call it inside the
 * tenant.
 */
export async function listBillSubscriptions(tx: Database): Promise<StoredSubscription[]> {
	const rows = await tx.query<Row>(
		`${selected} and s.payee = 'platform' and s.status in ('creating', 'active', 'attention') order by s.id desc`,
		[currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/**
 * Returns the id of the subscription that a payer has of a plan: one that charges before one that is over,
 * then the newest. Call it inside the tenant.
 */
export async function findSubscriptionOf(
	tx: Database,
	{ planId, customerCode }: { planId: string; customerCode: string },
): Promise<string | undefined> {
	const [row] = await tx.query<{ id: string }>(
		`select id from card_subscriptions where tenant_id = $3 and plan_id = $1 and customer_code = $2
		  order by (ended_at is null) desc, id desc limit 1`,
		[planId, customerCode, currentTenant(tx)],
	);
	return row?.id;
}

/** Lists the subscriptions of the tenant's own trade, the newest first. Call it inside the tenant. */
export async function listSubscriptions(
	tx: Database,
	query: { status: CardSubscriptionStatus | undefined; after: string | undefined; limit: number },
): Promise<StoredSubscription[]> {
	const rows = await tx.query<Row>(
		`${selected} and s.payee = 'tenant' and ($2::text is null or s.status = $2) and ($3::uuid is null or s.id < $3)
		  order by s.id desc limit $4`,
		[currentTenant(tx), query.status ?? null, query.after ?? null, query.limit],
	);
	return rows.map(fromRow);
}

/**
 * Changes a subscription that the transaction has locked, raises its version, and makes it known by the
 * gateway's code. Call it inside the tenant.
 */
export async function updateSubscription(
	tx: Database,
	one: StoredSubscription,
	now: Date,
): Promise<StoredSubscription> {
	const { id, tenantId, subscriptionCode, emailToken } = one;
	if (subscriptionCode !== null)
		await tx.query(
			`insert into locators (kind, value, tenant_id, object_id) values ('card_subscription', $1, $2, $3)
			 on conflict do nothing`,
			[subscriptionCode, tenantId, id],
		);
	await tx.query(
		`update card_subscriptions set status = $2, subscription_code = $3, email_token_key_id = $4, email_token_sealed = $5,
		   next_payment_at = $6, failure_code = $7, is_stopped_here = $8, executions = $9, last_executed_at = $10,
		   version = version + 1,
		   ended_at = case when $2 in ('disabled', 'completed', 'failed') then coalesce(ended_at, $11) end
		  where tenant_id = $12 and id = $1`,
		[
			...[id, one.status, subscriptionCode, emailToken?.keyId ?? null, emailToken?.sealed ?? null],
			...[one.nextPaymentAt, one.failureCode, one.isStoppedHere, one.executions, one.lastExecutedAt, now],
			currentTenant(tx),
		],
	);
	const stored = await findSubscription(tx, id);
	if (stored === undefined) throw new Error(`the card subscription ${id} is missing`);
	return stored;
}

/** Lists subscriptions of all tenants that the gateway has not answered about since a time, by id. */
export async function listUnanswered(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from card_subscriptions
			  where status = 'creating' and created_at < $1 and ($2::uuid is null or id > $2) order by id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
