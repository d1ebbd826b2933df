import { authSessionRevoked } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { recordAudit } from "../../audit/audit.store.ts";
import type { Origin } from "../../audit/origin.ts";
import type { SessionKey } from "../../secrets/refresh-token.ts";
import { type BrowserRef, endBrowserSession } from "../browser/browser-session.store.ts";
import { type Revoked, revokeSession, type SessionRef } from "../grant/session.store.ts";

/** The reason why a session was revoked; stored with it and published in the event. */
export type EndReason =
	| "signed_out"
	| "token_revoked"
	| "code_used_twice"
	| "refresh_token_reused"
	| "ended_by_user"
	| "password_changed"
	| "session_limit"
	| "signed_in_again"
	| "access_removed"
	| "suspended"
	| "erased";

type Ending = { now: Date; because: EndReason; correlationId?: string | undefined };

/** Revokes a session and records its event in one transaction; undefined if not found or already revoked. */
export function endSession(
	db: Database,
	{ tenantId, sessionId, ...ending }: Ending & SessionRef,
): Promise<Revoked | undefined> {
	return db.transaction(async (tx) => {
		const revoked = await revokeSession(tx, {
			tenantId,
			sessionId,
			now: ending.now,
			because: ending.because,
		});
		if (revoked !== undefined) await announceRevoked(tx, [revoked], ending);
		return revoked;
	});
}

/**
 * Revokes a session whose code or refresh token was used twice, with its event and its audit row in one
 * transaction.
 */
export function endMisusedSession(
	db: Database,
	{ because, ...session }: SessionKey & { because: "code_used_twice" | "refresh_token_reused" },
	origin: Origin,
): Promise<void> {
	const { now, requestId: correlationId } = origin;
	return db.transaction(async (tx) => {
		const revoked = await endSession(tx, { ...session, now, because, correlationId });
		if (revoked === undefined) return;
		await recordAudit(tx, origin, {
			tenantId: revoked.tenantId,
			action: `session.${because}`,
			subject: session.sessionId,
			after: { user_id: revoked.userId },
		});
	});
}

/** Ends a browser session and its client sessions, and records an event for each; returns these sessions. */
export function endBrowser(
	db: Database,
	{ browser, ...ending }: Ending & { browser: BrowserRef },
): Promise<Revoked[]> {
	return db.transaction(async (tx) => {
		const revoked = await endBrowserSession(tx, { browser, now: ending.now, because: ending.because });
		await announceRevoked(tx, revoked, ending);
		return revoked;
	});
}

/**
 * Records one event for each revoked session, in a stable order; call it in the transaction that revokes
 * them.
 */
export async function announceRevoked(
	tx: Database,
	revoked: readonly Revoked[],
	{ now, because, correlationId }: Ending,
): Promise<void> {
	for (const { sessionId, tenantId, userId } of revoked.toSorted((a, b) =>
		a.sessionId < b.sessionId ? -1 : 1,
	))
		await recordEvent(tx, authSessionRevoked, {
			subject: sessionId,
			tenantId,
			correlationId,
			now,
			data: { session_id: sessionId, user_id: userId, because, at: now.toISOString() },
		});
}
