import type { Database } from "@lango/postgres";

export type NewSession = {
	id: string;
	tenantId: string;
	terminalId: string;
	userId: string;
	/** The PIN of the sign-in. The session ends when the PIN changes. */
	pinId: string;
	now: Date;
	expiresAt: Date;
};

/** Records the session of a till token. Call it inside the tenant. */
export async function recordSession(tx: Database, session: NewSession): Promise<void> {
	const { id, tenantId, terminalId, userId, pinId, now, expiresAt } = session;
	await tx.query(
		`insert into terminal_sessions (id, tenant_id, terminal_id, user_id, pin_id, created_at, expires_at)
		 values ($1, $2, $3, $4, $5, $6, $7)`,
		[id, tenantId, terminalId, userId, pinId, now, expiresAt],
	);
}

/**
 * Returns whether the session is current: its till is not revoked and its PIN has not changed. One round
 * trip.
 */
export async function isSessionCurrent(
	db: Database,
	{ tenantId, id, now }: { tenantId: string; id: string; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ is_current: boolean }>(
		"select is_terminal_session_current($1, $2, $3) as is_current",
		[tenantId, id, now],
	);
	return row?.is_current === true;
}

/** Removes expired rows, at most `limit` of each table. Returns the number of removed rows. */
export async function purgeTills(
	db: Database,
	{ expiredBefore, countedBefore, limit }: { expiredBefore: Date; countedBefore: Date; limit: number },
): Promise<number> {
	const [row] = await db.query<{ removed: number }>("select purge_tills($1, $2, $3) as removed", [
		expiredBefore,
		countedBefore,
		limit,
	]);
	if (row === undefined) throw new Error("purging returned nothing");
	return row.removed;
}
