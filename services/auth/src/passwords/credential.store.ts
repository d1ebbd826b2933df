import type { Database } from "@lango/postgres";

/** The hash of a person's password; undefined without a password. */
export async function findPasswordHash(db: Database, userId: string): Promise<string | undefined> {
	const [row] = await db.query<{ secret: string }>(
		"select secret from credentials where user_id = $1 and kind = 'password'",
		[userId],
	);
	return row?.secret;
}

/** Sets a person's password, also the first one. */
export async function replacePasswordHash(
	tx: Database,
	{ userId, hash, now }: { userId: string; hash: string; now: Date },
): Promise<void> {
	await tx.query(
		`insert into credentials (user_id, kind, secret, changed_at) values ($1, 'password', $2, $3)
		 on conflict (user_id, kind) do update set secret = excluded.secret, changed_at = excluded.changed_at`,
		[userId, hash, now],
	);
}

/** Replaces the password that a person proved; false if it was replaced in the meantime. */
export async function swapPasswordHash(
	tx: Database,
	{ userId, proved, hash, now }: { userId: string; proved: string; hash: string; now: Date },
): Promise<boolean> {
	const rows = await tx.query(
		`update credentials set secret = $3, changed_at = $4
		  where user_id = $1 and kind = 'password' and secret = $2 returning 1`,
		[userId, proved, hash, now],
	);
	return rows.length > 0;
}
