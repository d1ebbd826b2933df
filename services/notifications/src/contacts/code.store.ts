import type { Database } from "@lango/postgres";

/**
 * Returns when the code was sent that forbids another one: after `since`, three codes were sent to the
 * address, or ten for the person, in every tenant. Undefined if a code may be sent; then no other code for
 * either is sent until the end of the transaction.
 */
export async function findCodeInTheWay(
	tx: Database,
	{ userId, keys, since }: { userId: string; keys: readonly Buffer[]; since: Date },
): Promise<Date | undefined> {
	const [row] = await tx.query<{ sent_at: Date | null }>(
		"select contact_code_in_the_way($1, $2, $3) as sent_at",
		[userId, [...keys], since],
	);
	return row?.sent_at ?? undefined;
}

/** A code that was sent. */
type NewCode = {
	tenantId: string;
	id: string;
	userId: string;
	contactId: string;
	key: Buffer;
	hash: Buffer;
	now: Date;
};

/** Records a code, which replaces earlier ones of the contact. Call it inside the tenant. */
export async function recordCode(tx: Database, code: NewCode): Promise<void> {
	const { tenantId, id, userId, contactId, key, hash, now } = code;
	await tx.query(
		`insert into contact_codes (tenant_id, id, user_id, contact_id, address_key, code_hash, sent_at)
		 values ($1, $2, $3, $4, $5, $6, $7)`,
		[tenantId, id, userId, contactId, key, hash, now],
	);
}

/**
 * Returns the newest code of a contact that was sent after `since` and was not used, or undefined.
 * Lock the contact before. Call it inside the tenant.
 */
export async function findCode(
	tx: Database,
	{ tenantId, contactId, since }: { tenantId: string; contactId: string; since: Date },
): Promise<{ id: string; hash: Buffer; tries: number; sentAt: Date } | undefined> {
	const [row] = await tx.query<{ id: string; code_hash: Buffer | null; tries: number; sent_at: Date }>(
		`select id, code_hash, tries, sent_at from contact_codes
		  where tenant_id = $1 and contact_id = $2 order by sent_at desc, id limit 1`,
		[tenantId, contactId],
	);
	if (row === undefined || row.code_hash === null || row.sent_at <= since) return undefined;
	return { id: row.id, hash: row.code_hash, tries: row.tries, sentAt: row.sent_at };
}

type OneCode = { tenantId: string; id: string };

/** Counts a wrong try of a code. Call it inside the tenant. */
export async function countTry(tx: Database, { tenantId, id }: OneCode): Promise<void> {
	await tx.query("update contact_codes set tries = tries + 1 where tenant_id = $1 and id = $2", [
		tenantId,
		id,
	]);
}

/** Records that a code was used. Call it inside the tenant. */
export async function recordUsed(tx: Database, { tenantId, id }: OneCode): Promise<void> {
	await tx.query("update contact_codes set code_hash = null where tenant_id = $1 and id = $2", [
		tenantId,
		id,
	]);
}
