import type { Database } from "@lango/postgres";

/** A key of another service from the settings, with the hash of its secret. */
export type SettingKey = {
	id: string;
	secretHash: Buffer;
	/** The service that uses the key. */
	caller: string;
	permissions: readonly string[];
};

/** Returns the active key with this id from the settings: for all tenants, and for its purpose only. */
export async function findSettingKey(
	db: Database,
	{ id, now }: { id: string; now: Date },
): Promise<{ secretHash: Buffer; permissions: readonly string[] } | undefined> {
	const [row] = await db.query<{ secret_hash: Buffer; permissions: string[] }>(
		"select secret_hash, permissions from api_keys where id = $1 and (expires_at is null or expires_at > $2)",
		[id, now],
	);
	return row && { secretHash: row.secret_hash, permissions: row.permissions };
}

/** Records a key from the settings, without an end. */
export async function recordSettingKey(
	db: Database,
	{ id, secretHash, caller, permissions }: SettingKey,
): Promise<void> {
	await db.query(
		`insert into api_keys (id, secret_hash, source, caller, permissions) values ($1, $2, 'setting', $3, $4)
		 on conflict (id) do update
		    set secret_hash = excluded.secret_hash, caller = excluded.caller, permissions = excluded.permissions,
		        expires_at = null`,
		[id, secretHash, caller, [...permissions]],
	);
}

/** Sets the end of the other keys from settings. Keys that already have an end keep it. */
export async function endOtherSettingKeys(
	db: Database,
	{ ids, at }: { ids: readonly string[]; at: Date },
): Promise<void> {
	await db.query(
		"update api_keys set expires_at = $2 where source = 'setting' and id <> all ($1) and expires_at is null",
		[[...ids], at],
	);
}
