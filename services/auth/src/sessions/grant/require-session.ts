import { type Caller, chassisFailures } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { failures } from "../../failures.ts";
import { isKnown } from "../../memberships/standing.ts";
import { findSession, type LiveSession } from "./session.store.ts";

/**
 * The session of a person who asks something for themselves, as it is now: a token outlives a session that was revoked. Throws
 * `session_ended`, and `forbidden` to programs.
 */
export async function requireSession(
	{ db, now }: { db: Database; now: () => Date },
	caller: Caller,
): Promise<LiveSession & { id: string; userId: string }> {
	if (caller.kind !== "user") throw chassisFailures.forbidden();
	const id = caller.claims.sid;
	const session = id === undefined ? undefined : await findSession(db, { sessionId: id, now: now() });
	if (id === undefined || session === undefined || !isKnown(session.standing.user))
		throw failures.session_ended();
	return { ...session, id, userId: caller.userId };
}
