import type { Database } from "@lango/postgres";

/** 12 hours without use end a browser session, and 14 days in all. */
export const browserIdleSeconds = 12 * 3_600;
export const browserLifeSeconds = 14 * 86_400;

export type BrowserSession = {
	id: string;
	userId: string;
	primaryTenantId: string | null;
	authTime: Date;
	amr: string[];
};

/** Records that a person signed in on a browser; `tokenHash` is of the cookie's value. Returns its id. */
export async function recordBrowserSession(
	db: Database,
	{ tokenHash, userId, amr, now }: { tokenHash: Buffer; userId: string; amr: readonly string[]; now: Date },
): Promise<string> {
	const [row] = await db.query<{ id: string }>(
		`insert into browser_sessions (token_hash, user_id, auth_time, amr, last_used_at, expires_at)
		 values ($1, $2, $3, $4, $3, $5) returning id`,
		[tokenHash, userId, now, amr, new Date(now.getTime() + browserLifeSeconds * 1_000)],
	);
	if (row === undefined) throw new Error("recording a browser session returned no row");
	return row.id;
}

/** The session a cookie stands for, kept alive by this use; undefined when it has ended or run out. */
export async function resumeBrowserSession(
	db: Database,
	{ tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<BrowserSession | undefined> {
	const [row] = await db.query<{
		id: string;
		user_id: string;
		primary_tenant_id: string | null;
		auth_time: Date;
		amr: string[];
	}>("select * from resume_browser_session($1, $2, make_interval(secs => $3))", [
		tokenHash,
		now,
		browserIdleSeconds,
	]);
	return (
		row && {
			id: row.id,
			userId: row.user_id,
			primaryTenantId: row.primary_tenant_id,
			authTime: row.auth_time,
			amr: row.amr,
		}
	);
}

/** Ends a browser session and every client session that hangs on it; false when there was none. */
export async function endBrowserSession(
	db: Database,
	{ tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ end_browser_session: number }>(
		"select end_browser_session($1, $2, 'signed_out')",
		[tokenHash, now],
	);
	return (row?.end_browser_session ?? 0) > 0;
}
