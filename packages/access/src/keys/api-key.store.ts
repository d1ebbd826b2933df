import { type Database, inTenant, ofTenant } from "@lango/postgres";

/** An active API key as stored. */
export type StoredApiKey = {
	secretHash: Buffer;
	tenantId: string | undefined;
	permissions: readonly string[];
	expiresAt: Date | undefined;
	/** The outlets of the key; undefined: every outlet. */
	outletIds: readonly string[] | undefined;
	/** The person whose current permissions limit the key; undefined: the key keeps its permissions. */
	creator: KeyCreator | undefined;
};

/** The creator of a key as a member of a tenant; without a tenant if the person is unknown there. */
type KeyCreator = { subject: string; tenantId: string | undefined; globalRoles: readonly string[] };

type KeyRow = {
	secret_hash: Buffer;
	tenant_id: string | null;
	permissions: string[];
	expires_at: Date | null;
	creator_id: string | null;
	creator_tenant_id: string | null;
	creator_roles: string[] | null;
	outlet_ids: string[] | null;
};

/** Returns the active key with this id, or undefined. */
export async function findApiKey(
	db: Database,
	{ id, now, platformSlug }: { id: string; now: Date; platformSlug: string },
): Promise<StoredApiKey | undefined> {
	const [row] = await db.query<KeyRow>(
		`select secret_hash, tenant_id, permissions, expires_at, creator_id, creator_tenant_id, creator_roles, outlet_ids
		   from find_api_key($1, $2, $3)`,
		[id, now, platformSlug],
	);
	if (row === undefined) return undefined;
	return {
		secretHash: row.secret_hash,
		tenantId: row.tenant_id ?? undefined,
		permissions: row.permissions,
		expiresAt: row.expires_at ?? undefined,
		creator: creatorOf(row),
		outletIds: row.outlet_ids ?? undefined,
	};
}

function creatorOf({ creator_id, creator_tenant_id, creator_roles }: KeyRow): KeyCreator | undefined {
	if (creator_id === null) return undefined;
	return {
		subject: creator_id,
		tenantId: creator_tenant_id ?? undefined,
		globalRoles: creator_roles ?? [],
	};
}

/** Records the times of use, at most once a minute per key. */
export async function recordKeyUses(
	db: Database,
	uses: ReadonlyArray<readonly [id: string, at: Date]>,
): Promise<void> {
	await db.query("select note_key_uses($1, $2)", [uses.map(([id]) => id), uses.map(([, at]) => at)]);
}

export type NewApiKey = {
	id: string;
	secretHash: Buffer;
	tenantId: string;
	name: string;
	permissions: readonly string[];
	createdBy?: string;
	/** The person whose current permissions limit the key. Default: the key keeps its permissions. */
	creatorId?: string | undefined;
	expiresAt?: Date;
	/** The outlets whose rows the key can access. Default: every outlet. */
	outletIds?: readonly string[];
	now: Date;
};

/** Inserts a tenant's new key, with the hash of its secret. */
export async function recordApiKey(db: Database, key: NewApiKey): Promise<void> {
	const { id, secretHash, tenantId, name, permissions, createdBy = null, expiresAt = null, now } = key;
	const { creatorId = null } = key;
	await inTenant(db, tenantId, (tx) =>
		tx.query(
			`insert into api_keys (id, secret_hash, tenant_id, name, permissions, created_by, created_at, expires_at, creator_id,
			                       outlet_ids)
			 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			[
				...[id, secretHash, tenantId, name, [...permissions], createdBy, now, expiresAt, creatorId],
				key.outletIds === undefined ? null : [...key.outletIds],
			],
		),
	);
}

/** Inserts a key for all tenants. */
export async function recordPlatformKey(db: Database, key: Omit<NewApiKey, "tenantId">): Promise<void> {
	const { id, secretHash, name, permissions, createdBy = null, expiresAt = null, now } = key;
	await db.query("select record_platform_key($1, $2, $3, $4, $5, $6, $7, $8)", [
		id,
		secretHash,
		name,
		[...permissions],
		createdBy,
		expiresAt,
		now,
		key.creatorId ?? null,
	]);
}

/** Counts the active keys of a tenant. Call it inside the tenant. */
export async function countApiKeys(tx: Database, tenantId: string, now: Date): Promise<number> {
	const [row] = await tx.query<{ keys: number }>(
		`select count(*)::integer as keys from api_keys
		  where tenant_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
		[tenantId, now],
	);
	return row?.keys ?? 0;
}

/** Revokes a key of a tenant. `ended` means that it was revoked before. Call it inside the tenant. */
export async function revokeApiKey(
	tx: Database,
	{ tenantId, id, now }: { tenantId: string; id: string; now: Date },
): Promise<"revoked" | "ended" | "unknown"> {
	const [found] = await tx.query<{ revoked_at: Date | null }>(
		"select revoked_at from api_keys where tenant_id = $1 and id = $2 for update",
		[tenantId, id],
	);
	if (found === undefined) return "unknown";
	if (found.revoked_at !== null) return "ended";
	await tx.query("update api_keys set revoked_at = $3 where tenant_id = $1 and id = $2", [tenantId, id, now]);
	return "revoked";
}

/** Revokes a key for all tenants. Returns whether it exists. */
export async function revokePlatformKey(
	db: Database,
	{ id, now }: { id: string; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ is_known: boolean }>("select revoke_platform_key($1, $2) as is_known", [
		id,
		now,
	]);
	return row?.is_known === true;
}

/** A key in a list, without its secret. */
export type ListedApiKey = {
	id: string;
	tenantId: string | null;
	name: string;
	permissions: readonly string[];
	/** Null: every outlet. */
	outletIds: readonly string[] | null;
	createdBy: string | null;
	/** The name of the creator; null if that is not a member of the tenant. */
	createdByName: string | null;
	createdAt: Date;
	expiresAt: Date | null;
	revokedAt: Date | null;
	/** Precise to the minute. */
	lastUsedAt: Date | null;
};

const columns =
	"id, name, permissions, created_by, creator_id, created_at, expires_at, revoked_at, last_used_at";

/**
 * Lists the keys of a tenant, newest first; undefined as its id: of all, and those for all tenants. Call it
 * inside the tenant or across all.
 */
export async function listApiKeys(
	db: Database,
	{
		tenantId,
		after,
		limit,
	}: {
		tenantId: string | undefined;
		after: readonly [atMicroseconds: string, id: string] | undefined;
		limit: number;
	},
): Promise<Array<ListedApiKey & { at: string }>> {
	const [at = null, id = null] = after ?? [];
	const platformKeys = `union all select null, null, ${columns} from platform_api_keys`;
	const rows = await db.query<{
		id: string;
		tenant_id: string | null;
		name: string;
		permissions: string[];
		created_by: string | null;
		created_by_name: string | null;
		created_at: Date;
		expires_at: Date | null;
		revoked_at: Date | null;
		last_used_at: Date | null;
		outlet_ids: string[] | null;
		at: string;
	}>(
		`select k.id, k.tenant_id, k.name, k.permissions, k.created_by, u.name as created_by_name, k.created_at, k.expires_at,
		        k.revoked_at, k.last_used_at, k.outlet_ids, (extract(epoch from k.created_at) * 1000000)::bigint::text as at
		   from (select tenant_id, outlet_ids, ${columns} from api_keys a where ${ofTenant(tenantId, "a.tenant_id", "$4")}
		         ${tenantId === undefined ? platformKeys : ""}) k
		   left join users u on u.tenant_id = k.tenant_id and u.auth_service_user_id = k.creator_id
		  where $1::bigint is null
		     or (k.created_at, k.id) < (timestamptz 'epoch' + $1::bigint * interval '1 microsecond', $2)
		  order by k.created_at desc, k.id desc
		  limit $3`,
		[at, id, limit, tenantId ?? null],
	);
	return rows.map(({ tenant_id, created_by, created_at, expires_at, revoked_at, ...row }) => ({
		id: row.id,
		name: row.name,
		permissions: row.permissions,
		at: row.at,
		createdByName: row.created_by_name,
		lastUsedAt: row.last_used_at,
		outletIds: row.outlet_ids,
		tenantId: tenant_id,
		createdBy: created_by,
		createdAt: created_at,
		expiresAt: expires_at,
		revokedAt: revoked_at,
	}));
}
