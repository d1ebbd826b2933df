import type { Database } from "@lango/postgres";
import type { SignInPlace } from "../../places/places.ts";
import { fromRevokedRow, type Revoked, type RevokedRow, type SessionRef } from "../grant/session.store.ts";
import { browserIdleSeconds, browserLifeSeconds } from "../grant/session-limit.ts";

const dayMs = 86_400_000;

/** `likeness`: of an unknown device (`KnownDevices`); undefined: the device is known. */
type NewBrowserSession = {
	tokenHash: Buffer;
	/** Of the cookie that the browser had: the session of the same person is renewed. */
	formerHash: Buffer | undefined;
	/** Browser and system. */
	device: string;
	place: SignInPlace | undefined;
	userId: string;
	amr: readonly string[];
	likeness: Buffer | undefined;
	now: Date;
};

/**
 * Records that a person signed in on a browser; `tokenHash` is of the cookie's value. If the browser has a
 * session of the person, it is renewed, and its client sessions go on. `isNewDevice`: it is
 * unknown, not the person's first one, and not like the last unknown one of the same day. A row that was
 * updated has an `xmax`, one that was inserted has none (PostgreSQL 15 has no `old`).
 */
export async function recordBrowserSession(
	db: Database,
	{ tokenHash, formerHash, userId, amr, likeness, device, place, now }: NewBrowserSession,
): Promise<{ id: string; isNewDevice: boolean; isRenewed: boolean }> {
	const [row] = await db.query<{ id: string; is_new_device: boolean; is_renewed: boolean }>(
		`with noted as (
		   insert into last_devices as d (user_id, likeness, noted_at) values ($2, $6, $3)
		   on conflict on constraint last_devices__pkey do update
		      set likeness = excluded.likeness, noted_at = excluded.noted_at
		    where excluded.likeness is not null
		      and (d.likeness is distinct from excluded.likeness or d.noted_at <= $9)
		   returning d.xmax <> 0 as is_new
		 ), renewed as (
		   update browser_sessions set token_hash = $1, auth_time = $3, amr = $4, last_used_at = $3, expires_at = $5,
		     device = $7, country = $10, city = $11
		    where token_hash = $8 and user_id = $2 and ended_at is null
		   returning id
		 ), inserted as (
		   insert into browser_sessions (token_hash, user_id, auth_time, amr, last_used_at, expires_at, device, country, city)
		   select $1, $2, $3, $4, $3, $5, $7, $10, $11 where not exists (select from renewed)
		   returning id)
		 select one.id, one.is_renewed, coalesce((select is_new from noted), false) as is_new_device
		   from (select id, true as is_renewed from renewed union all select id, false from inserted) one`,
		[
			...[tokenHash, userId, now, amr, new Date(now.getTime() + browserLifeSeconds * 1_000)],
			...[likeness ?? null, device, formerHash ?? null, new Date(now.getTime() - dayMs)],
			...[place?.country ?? null, place?.city ?? null],
		],
	);
	if (row === undefined) throw new Error("recording a browser session returned no row");
	return { id: row.id, isNewDevice: row.is_new_device, isRenewed: row.is_renewed };
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
export type BrowserRef = { tokenHash: Buffer } | SessionRef;

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
