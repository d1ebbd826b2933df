import type { Database } from "@lango/postgres";
import { fromRevokedRow, type Revoked, type RevokedRow } from "../grant/session.store.ts";
import { browserIdleSeconds, browserLifeSeconds } from "../grant/session-limit.ts";

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

/** Finds the live browser session of a cookie and extends it; undefined if it has ended or expired. */
export async function resumeBrowserSession(
	db: Database,
	{ tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<{ userId: string } | undefined> {
	const [row] = await db.query<{ user_id: string }>(
		"select user_id from resume_browser_session($1, $2, make_interval(secs => $3), null)",
		[tokenHash, now, browserIdleSeconds],
	);
	return row && { userId: row.user_id };
}

/** A browser session, by its cookie or by one of its client sessions. */
export type BrowserRef = { tokenHash: Buffer } | { sessionId: string };

/** Ends a browser session and its client sessions; returns the client sessions that were live. */
export async function endBrowserSession(
	db: Database,
	{ browser, now, because }: { browser: BrowserRef; now: Date; because: string },
): Promise<Revoked[]> {
	const tokenHash = "tokenHash" in browser ? browser.tokenHash : null;
	const sessionId = "sessionId" in browser ? browser.sessionId : null;
	const rows = await db.query<RevokedRow>("select * from end_browser_session($1, $2, $3, $4)", [
		tokenHash,
		sessionId,
		now,
		because,
	]);
	return rows.map(fromRevokedRow);
}
