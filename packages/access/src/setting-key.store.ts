import type { Database } from "@lango/postgres";

/** The key of a service's settings with this id while it is in force: good for all tenants, and holding no permissions. */
export async function findSettingKey(
	db: Database,
	{ id, now }: { id: string; now: Date },
): Promise<{ secretHash: Buffer; permissions: readonly string[] } | undefined> {
	const [row] = await db.query<{ secret_hash: Buffer }>(
		"select secret_hash from api_keys where id = $1 and (expires_at is null or expires_at > $2)",
		[id, now],
	);
	return row && { secretHash: row.secret_hash, permissions: [] };
}

/** Records the key of the settings as good until it is replaced. */
export async function recordSettingKey(
	db: Database,
	{ id, secretHash }: { id: string; secretHash: Buffer },
): Promise<void> {
	await db.query(
		`insert into api_keys (id, secret_hash, source) values ($1, $2, 'setting')
		 on conflict (id) do update set secret_hash = excluded.secret_hash, expires_at = null`,
		[id, secretHash],
	);
}

/** Ends the other keys that came from settings at the given time; those that end already keep their time. */
export async function endOtherSettingKeys(
	db: Database,
	{ id, at }: { id: string | undefined; at: Date },
): Promise<void> {
	await db.query(
		"update api_keys set expires_at = $2 where source = 'setting' and id is distinct from $1 and expires_at is null",
		[id ?? null, at],
	);
}
