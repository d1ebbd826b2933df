import { recordAudit } from "../../audit/audit.store.ts";
import type { Origin } from "../../audit/origin.ts";
import type { Dependencies } from "../../dependencies.ts";
import { failures } from "../../failures.ts";
import { findSession } from "../grant/session.store.ts";
import { endBrowser, endSession } from "./end-session.ts";
import { endUserSessions } from "./end-user-sessions.ts";

type Ending = { userId: string; sessionId: string; isBrowser: boolean };

/**
 * Ends a session of the user, or its browser session. Throws `session_not_found`, also for another user's
 * session.
 */
export async function endOwnSession(
	{ db }: Pick<Dependencies, "db">,
	{ userId, sessionId, isBrowser }: Ending,
	origin: Origin,
): Promise<void> {
	const { now, requestId: correlationId } = origin;
	await db.transaction(async (tx) => {
		// The list of a user's sessions goes over all tenants, and the address does not name one.
		const session = await findSession(tx, { tenantId: undefined, sessionId, now });
		if (session?.membershipState.user.id !== userId) throw failures.session_not_found();
		const tenantId = session.membershipState.tenant.id;
		const ending = { now, because: "ended_by_user", correlationId } as const;
		const ended = isBrowser ? await endBrowser(tx, { ...ending, browser: { tenantId, sessionId } }) : [];
		// A session without a browser.
		if (!ended.some((one) => one.sessionId === sessionId))
			await endSession(tx, { ...ending, tenantId, sessionId });
		await recordAudit(tx, origin, {
			tenantId,
			action: isBrowser ? "browser.signed_out" : "session.ended",
			subject: sessionId,
		});
	});
}

type EndingOthers = {
	userId: string;
	/** The tenant of the current session; the audit row is recorded there. */
	tenantId: string;
	exceptSessionId: string;
};

/** Ends every session of the user in every tenant except one, and every browser session except its own. */
export async function endOtherSessions(
	{ db }: Pick<Dependencies, "db">,
	{ userId, tenantId, exceptSessionId }: EndingOthers,
	origin: Origin,
): Promise<void> {
	await db.transaction(async (tx) => {
		await endUserSessions(tx, { userId, exceptSessionId, because: "ended_by_user", origin });
		await recordAudit(tx, origin, {
			tenantId,
			action: "sessions.ended",
			subject: userId,
		});
	});
}
