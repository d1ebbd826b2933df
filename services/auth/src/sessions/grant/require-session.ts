import { type Caller, chassisFailures } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { failures } from "../../failures.ts";
import { isKnown } from "../../memberships/membership-state.ts";
import { findSession, type LiveSession, sessionOf } from "./session.store.ts";

/**
 * The caller's live session, from the database, because a token outlives a revoked session. Throws
 * `session_ended`, and `forbidden` for programs.
 */
export async function requireSession(
	{ db, now }: { db: Database; now: () => Date },
	caller: Caller,
): Promise<LiveSession & { id: string; userId: string }> {
	if (caller.kind !== "user") throw chassisFailures.forbidden();
	const named = sessionOf(caller.claims);
	const session = named && (await findSession(db, { ...named, now: now() }));
	if (named === undefined || session === undefined || !isKnown(session.membershipState.user))
		throw failures.session_ended();
	return { ...session, id: named.sessionId, userId: caller.userId };
}
