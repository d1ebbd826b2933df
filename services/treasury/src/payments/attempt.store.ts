import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import {
	type Attempt,
	type AttemptOutcome,
	type AttemptStatus,
	type Channel,
	type GatewayIds,
	rankOf,
} from "./attempt.ts";
import type { Payee } from "./intent.ts";

type Row = {
	tenant_id: string;
	id: string;
	intent_id: string;
	seq: number;
	amount_minor: string;
	channel: Channel;
	custody: Attempt["custody"];
	shortcode: string | null;
	status: AttemptStatus;
	reference: string;
	phone: string | null;
	merchant_request_id: string | null;
	checkout_request_id: string | null;
	access_code: string | null;
	authorization_url: string | null;
	failure_code: string | null;
	submitted_at: Date | null;
	next_check_at: Date | null;
	checks: number;
	expires_at: Date;
	created_at: Date;
	ended_at: Date | null;
};

const columns = `tenant_id, id, intent_id, seq, amount_minor, channel, custody, shortcode, status, reference, phone,
	merchant_request_id, checkout_request_id, access_code, authorization_url, failure_code, submitted_at, next_check_at, checks,
	expires_at, created_at, ended_at`;

const fromRow = (row: Row): Attempt => ({
	tenantId: row.tenant_id,
	id: row.id,
	intentId: row.intent_id,
	seq: row.seq,
	amountMinor: BigInt(row.amount_minor),
	channel: row.channel,
	custody: row.custody,
	shortcode: row.shortcode,
	status: row.status,
	reference: row.reference,
	phone: row.phone,
	merchantRequestId: row.merchant_request_id,
	checkoutRequestId: row.checkout_request_id,
	accessCode: row.access_code,
	authorizationUrl: row.authorization_url,
	failureCode: row.failure_code,
	submittedAt: row.submitted_at,
	nextCheckAt: row.next_check_at,
	checks: row.checks,
	expiresAt: row.expires_at,
	createdAt: row.created_at,
	endedAt: row.ended_at,
});

export type NewAttempt = Pick<
	Attempt,
	| "tenantId"
	| "id"
	| "intentId"
	| "amountMinor"
	| "channel"
	| "custody"
	| "shortcode"
	| "reference"
	| "phone"
	| "nextCheckAt"
	| "expiresAt"
> & { now: Date };

/**
 * Records an attempt that is about to be sent to the gateway. The intent is locked, so its number is
 * free. Call it inside the tenant.
 */
export async function recordAttempt(tx: Database, attempt: NewAttempt): Promise<Attempt> {
	await tx.queryBeforeCommit(
		"insert into locators (kind, value, tenant_id, object_id) values ('reference', $1, $2, $3)",
		[attempt.reference, attempt.tenantId, attempt.id],
	);
	const [row] = await tx.query<Row>(
		`insert into attempts as t (tenant_id, id, intent_id, seq, amount_minor, channel, custody, shortcode, status, rank, reference,
		   phone, submitted_at, next_check_at, expires_at, created_at)
		 select i.tenant_id, $2, i.id, 1 + coalesce((select max(a.seq) from attempts a where a.tenant_id = $1 and a.intent_id = $3), 0),
		   $4, $5, $6, $7, 'submitting', $8, $9, $10, $11, $12, $13, $11
		   from intents i where i.tenant_id = $1 and i.id = $3
		 returning ${columns.replaceAll(/(\w+)/g, "t.$1")}`,
		[
			...[
				attempt.tenantId,
				attempt.id,
				attempt.intentId,
				attempt.amountMinor,
				attempt.channel,
				attempt.custody,
			],
			...[attempt.shortcode, rankOf.submitting, attempt.reference, attempt.phone, attempt.now],
			...[attempt.nextCheckAt, attempt.expiresAt],
		],
	);
	if (row === undefined) throw new Error("the attempt was not recorded");
	return fromRow(row);
}

/** Returns an attempt, locked. Call it inside the tenant, after its intent was locked. */
export async function lockAttempt(tx: Database, id: string): Promise<Attempt | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from attempts where tenant_id = $2 and id = $1 for no key update`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** An attempt with the payee of its intent, which never changes. */
export type AttemptOf = Attempt & { payee: Payee };

/** Returns an attempt. Call it inside the tenant. */
export async function findAttempt(tx: Database, id: string): Promise<AttemptOf | undefined> {
	const [row] = await tx.query<Row & { payee: Payee }>(
		`select ${columns}, (select i.payee from intents i where i.tenant_id = $2 and i.id = a.intent_id) as payee
		   from attempts a where a.tenant_id = $2 and a.id = $1`,
		[id, currentTenant(tx)],
	);
	return row && { ...fromRow(row), payee: row.payee };
}

/** Lists the attempts of intents, the first first. Call it inside the tenant. */
export async function listAttempts(tx: Database, intentIds: readonly string[]): Promise<Attempt[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from attempts where tenant_id = $2 and intent_id = any ($1::uuid[]) order by intent_id, seq`,
		[intentIds, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Stores what an attempt became, if its rank is higher. Call it inside the tenant. */
export async function updateAttempt(
	tx: Database,
	{ id, status, failureCode, channel }: AttemptOutcome & { id: string; channel: Channel },
	now: Date,
): Promise<void> {
	const isOver = rankOf[status] >= rankOf.expired;
	await tx.query(
		`update attempts set status = $2, rank = $3, failure_code = $4, channel = $5,
		   next_check_at = case when $6 then null else next_check_at end,
		   ended_at = case when $6 then coalesce(ended_at, $7) end
		  where tenant_id = $8 and id = $1 and rank < $3`,
		[id, status, rankOf[status], failureCode, channel, isOver, now, currentTenant(tx)],
	);
}

/**
 * Stores the ids that the gateway gave an attempt; those that are known stay. Call it inside the tenant.
 */
export async function nameAttempt(
	tx: Database,
	{ tenantId, id, merchantRequestId, checkoutRequestId, accessCode, authorizationUrl }: Named,
): Promise<void> {
	if (checkoutRequestId !== undefined)
		await tx.queryBeforeCommit(
			`insert into locators (kind, value, tenant_id, object_id) values ('checkout_request', $1, $2, $3)
			 on conflict do nothing`,
			[checkoutRequestId, tenantId, id],
		);
	await tx.query(
		`update attempts set merchant_request_id = coalesce(merchant_request_id, $2),
		   checkout_request_id = coalesce(checkout_request_id, $3), access_code = coalesce(access_code, $4),
		   authorization_url = coalesce(authorization_url, $5)
		  where tenant_id = $6 and id = $1`,
		[
			...[id, merchantRequestId ?? null, checkoutRequestId ?? null, accessCode ?? null],
			...[authorizationUrl ?? null, tenantId],
		],
	);
}

type Named = GatewayIds & { tenantId: string; id: string };

/** Stores when the gateway is asked again. Call it inside the tenant. */
export async function scheduleCheck(
	tx: Database,
	{ id, checks, nextCheckAt }: Pick<Attempt, "id" | "checks"> & { nextCheckAt: Date },
): Promise<void> {
	await tx.query(
		"update attempts set checks = $2, next_check_at = $3 where tenant_id = $4 and id = $1 and next_check_at is not null",
		[...[id, checks, nextCheckAt], currentTenant(tx)],
	);
}

/** Lists attempts of all tenants whose check is overdue, by id. */
export async function listDueAttempts(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from attempts where next_check_at < $1 and ($2::uuid is null or id > $2)
			  order by id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
