import type { Database } from "@lango/postgres";

export type NewSession = {
	id: string;
	tenantId: string;
	terminalId: string;
	userId: string;
	/** The PIN that was right: with another one the session has ended. */
	pinId: string;
	now: Date;
	expiresAt: Date;
};

/** Records that a till was given a token. Call it inside the tenant. */
export async function recordSession(tx: Database, session: NewSession): Promise<void> {
	const { id, tenantId, terminalId, userId, pinId, now, expiresAt } = session;
	await tx.query(
		`insert into terminal_sessions (id, tenant_id, terminal_id, user_id, pin_id, created_at, expires_at)
		 values ($1, $2, $3, $4, $5, $6, $7)`,
		[id, tenantId, terminalId, userId, pinId, now, expiresAt],
	);
}

/** Whether its till is in force and its PIN the one in use; one round trip. */
export async function standsSession(
	db: Database,
	{ tenantId, id, now }: { tenantId: string; id: string; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ stands: boolean }>("select terminal_session_stands($1, $2, $3) as stands", [
		tenantId,
		id,
		now,
	]);
	return row?.stands === true;
}

/** Removes what has expired, so many rows of each kind at most; answers how many went. */
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
