import { type Database, inTenant, ofTenant } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";

/** The access token of a credential, one for all processes. */
export type StoredToken = { token: Sealed | undefined; expiresAt: Date; generation: number };

/** The owner of a token: a credential of the platform, or of a tenant. */
export type TokenOwner = { credentialId: string; tenantId: string | undefined };

/** The tokens of the platform have a table of their own. */
const tableOf = ({ tenantId }: TokenOwner) =>
	tenantId === undefined ? "platform_gateway_tokens" : "gateway_tokens";

/** Runs work where the rows of the owner are visible. */
const ownedBy = <T>(
	db: Database,
	{ tenantId }: TokenOwner,
	work: (tx: Database) => Promise<T>,
): Promise<T> => (tenantId === undefined ? work(db) : inTenant(db, tenantId, work));

/** Finds the token of a credential. */
export async function findToken(db: Database, owner: TokenOwner): Promise<StoredToken | undefined> {
	const [row] = await ownedBy(db, owner, (tx) =>
		tx.query<{ key_id: string | null; sealed: Buffer | null; expires_at: Date; generation: number }>(
			`select key_id, sealed, expires_at, generation from ${tableOf(owner)}
			  where ${ofTenant(owner.tenantId, "tenant_id", "$2")} and credential_id = $1`,
			[owner.credentialId, owner.tenantId ?? null],
		),
	);
	if (row === undefined) return undefined;
	const { key_id: keyId, sealed, expires_at: expiresAt, generation } = row;
	const token = keyId === null || sealed === null ? undefined : { keyId, sealed };
	return { token, expiresAt, generation };
}

/**
 * Takes the lease to renew a token of this generation (0: there is none yet) until a time. Returns whether
 * this process has it; else another one renews, or has renewed.
 */
export async function leaseToken(
	db: Database,
	owner: TokenOwner,
	{ generation, now, until }: { generation: number; now: Date; until: Date },
): Promise<boolean> {
	const table = tableOf(owner);
	const { credentialId, tenantId } = owner;
	const [column, value, ofTenant] =
		tenantId === undefined ? ["", "", []] : [", tenant_id", ", $5", [tenantId]];
	const rows = await ownedBy(db, owner, (tx) =>
		tx.query(
			`insert into ${table} as t (credential_id, expires_at, generation, renewing_until${column})
			 values ($1, $3, 0, $4${value})
			 on conflict on constraint ${table}__pkey do update set renewing_until = excluded.renewing_until
			  where t.generation = $2 and (t.renewing_until is null or t.renewing_until <= $3)
			 returning credential_id`,
			[credentialId, generation, now, until, ...ofTenant],
		),
	);
	return rows.length > 0;
}

/** Stores a renewed token, ends the lease, and returns the token's generation. */
export async function recordToken(
	db: Database,
	owner: TokenOwner,
	{ token, expiresAt }: { token: Sealed; expiresAt: Date },
): Promise<number> {
	const [row] = await ownedBy(db, owner, (tx) =>
		tx.query<{ generation: number }>(
			`update ${tableOf(owner)}
			    set key_id = $2, sealed = $3, expires_at = $4, generation = generation + 1, renewing_until = null
			  where ${ofTenant(owner.tenantId, "tenant_id", "$5")} and credential_id = $1 returning generation`,
			[owner.credentialId, token.keyId, token.sealed, expiresAt, owner.tenantId ?? null],
		),
	);
	if (row === undefined) throw new Error("the credential of the token was removed meanwhile");
	return row.generation;
}

/** Ends the lease without a new token. */
export async function endLease(db: Database, owner: TokenOwner): Promise<void> {
	await ownedBy(db, owner, (tx) =>
		tx.query(
			`update ${tableOf(owner)} set renewing_until = null
			  where ${ofTenant(owner.tenantId, "tenant_id", "$2")} and credential_id = $1`,
			[owner.credentialId, owner.tenantId ?? null],
		),
	);
}
