import type { Hashing } from "@lango/passwords";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { spendUserLinks } from "../links/link.store.ts";
import { isKnown } from "../memberships/membership-state.ts";
import { endUserSessions } from "../sessions/logout/end-user-sessions.ts";
import { foldEmail } from "../users/email.ts";
import { lockPerson } from "../users/person.store.ts";
import { findPasswordHash, swapPasswordHash } from "./credential.store.ts";
import { requireStrongPassword } from "./password-rule.ts";
import { requesterOf } from "./requester.ts";

export type PasswordChange = {
	userId: string;
	email: string;
	/** The current session, which does not end. */
	sessionId: string;
	current: string;
	next: string;
};

type Needs = Pick<Dependencies, "db" | "failureCount" | "hashing">;

/**
 * Changes the password of a person who knows the current one: every other session and browser is signed
 * out, and links to reset it become invalid. If the address was never verified, they stay valid: the person
 * who changes the password may not own the address, and must not be able to keep its owner out (decision
 * 0012). Wrong attempts are counted as failed sign-ins are. Throws `password_wrong`, `password_weak`,
 * `too_many_attempts`, `too_many_sign_ins`, `sign_in_busy`, and `session_ended` if the user was disabled in
 * the meantime.
 */
export async function changePassword(
	dependencies: Needs,
	{ userId, email, sessionId, current, next }: PasswordChange,
	origin: Origin,
): Promise<void> {
	const { db, hashing, failureCount } = dependencies;
	// Counted by session, so that failed sign-ins elsewhere do not prevent the owner from changing the
	// password.
	const counted = { account: foldEmail(email), ip: origin.ip, device: `session ${sessionId}` };
	const requester = requesterOf({ email, ip: origin.ip, device: counted.device });
	const wrong = () => failures.password_wrong({ fields: { field: "current_password", in: "body" } });
	requireStrongPassword(next, { email, field: "new_password" });
	const prove = async (share: Hashing) => {
		const proved = await findPasswordHash(db, userId);
		const { matches } = await share.check(current, proved);
		return matches && proved !== undefined ? { proved, hash: await share.hash(next) } : undefined;
	};
	const hashes = await failureCount.attempt(counted, () => hashing.withShare(requester, prove));
	if (hashes === undefined) throw wrong();
	const { now } = origin;
	await db.transaction(async (tx) => {
		const user = await lockPerson(tx, userId);
		if (user === undefined || !isKnown(user)) throw failures.session_ended();
		if (!(await swapPasswordHash(tx, { userId, ...hashes, now }))) throw wrong();
		if (user.emailVerified) await spendUserLinks(tx, { userId, kind: "password_reset", now });
		await endUserSessions(tx, { userId, exceptSessionId: sessionId, because: "password_changed", origin });
		await recordAudit(tx, origin, { action: "password.changed", subject: userId });
	});
}
