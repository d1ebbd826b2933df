import { type Database, inTenant } from "@lango/postgres";

/** An API key that is in force, as it is kept. */
export type KeptApiKey = {
	secretHash: Buffer;
	tenantId: string | undefined;
	permissions: readonly string[];
	expiresAt: Date | undefined;
};

/** The key with this id while it is in force, undefined otherwise. */
export async function findApiKey(
	db: Database,
	{ id, now }: { id: string; now: Date },
): Promise<KeptApiKey | undefined> {
	const [row] = await db.query<{
		secret_hash: Buffer;
		tenant_id: string | null;
		permissions: string[];
		expires_at: Date | null;
	}>("select secret_hash, tenant_id, permissions, expires_at from find_api_key($1, $2)", [id, now]);
	if (row === undefined) return undefined;
	return {
		secretHash: row.secret_hash,
		tenantId: row.tenant_id ?? undefined,
		permissions: row.permissions,
		expiresAt: row.expires_at ?? undefined,
	};
}

export type NewApiKey = {
	id: string;
	secretHash: Buffer;
	tenantId: string;
	name: string;
	permissions: readonly string[];
	createdBy?: string;
	expiresAt?: Date;
	now: Date;
};

/** Keeps a tenant's new key; of its secret only the hash. */
export async function recordApiKey(db: Database, key: NewApiKey): Promise<void> {
	const { id, secretHash, tenantId, name, permissions, createdBy = null, expiresAt = null, now } = key;
	await inTenant(db, tenantId, (tx) =>
		tx.query(
			`insert into api_keys (id, secret_hash, tenant_id, name, permissions, created_by, created_at, expires_at)
			 values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			[id, secretHash, tenantId, name, [...permissions], createdBy, now, expiresAt],
		),
	);
}
