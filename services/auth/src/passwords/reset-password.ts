import { hashSecret } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findUserLink, spendUserLinks, takeUserLink } from "../links/link.store.ts";
import { sendLinkWithin, showLink } from "../links/send-link.ts";
import { announceUser } from "../members/announce-user.ts";
import { endUserSessions } from "../sessions/end-user-sessions.ts";
import { foldEmail } from "../users/email.ts";
import { findPerson, findPersonByEmail, isKnown, lockPerson, verifyEmail } from "../users/person.store.ts";
import { replacePasswordHash } from "./credential.store.ts";
import { requireStrongPassword } from "./password-rule.ts";
import { requesterOf } from "./requester.ts";

const kind = "password_reset";

/**
 * Sends a link to set a new password, when somebody has the address and may sign in, at most three an hour. Whoever asks learns
 * nothing of it: the answer and its time are the same. Throws `rate_limited`.
 */
export async function requestReset(dependencies: Dependencies, email: string, origin: Origin): Promise<void> {
	const { db, limits } = dependencies;
	await limits.linkRequests.take(origin.ip);
	const user = await findPersonByEmail(db, foldEmail(email));
	if (user === undefined) return;
	const value = await db.transaction(async (tx) => {
		const sent = await sendLinkWithin(tx, dependencies, { kind, userId: user.id, isDue: isKnown, origin });
		if (sent !== undefined)
			await recordAudit(tx, origin, { action: "password.reset_requested", subject: user.id });
		return sent;
	});
	if (value !== undefined) showLink(dependencies, kind, value);
}

/**
 * Sets a new password for who brings the value of a link. Every session and browser of the person is signed out, and the
 * address the link was sent to is proved. Of two at once one succeeds. Throws `link_invalid`, `password_weak`, `too_many_sign_ins`, `sign_in_busy`.
 */
export async function resetPassword(
	{ db, hashing }: Dependencies,
	{ token, password }: { token: string; password: string },
	origin: Origin,
): Promise<void> {
	const { now } = origin;
	const taking = { tokenHash: hashSecret(token), kind, now } as const;
	const invalid = () => failures.link_invalid({ fields: { field: "token", in: "body" } });
	const link = await findUserLink(db, taking);
	const user = link && (await findPerson(db, link.userId));
	if (link === undefined || user === undefined) throw invalid();
	requireStrongPassword(password, { email: user.email, field: "password" });
	const hash = await hashing.hash(password, requesterOf({ email: user.email, ip: origin.ip }));
	const userId = user.id;
	const by = { ...origin, actorUserId: userId };
	await db.transaction(async (tx) => {
		const current = await lockPerson(tx, userId);
		if (current === undefined || !isKnown(current)) throw invalid();
		if ((await takeUserLink(tx, taking)) === undefined) throw invalid();
		await replacePasswordHash(tx, { userId, hash, now });
		await spendUserLinks(tx, { userId, kind, now });
		await endUserSessions(tx, { userId, because: "password_changed", origin: by });
		if (await verifyEmail(tx, link)) await announceUser(tx, { userId, origin: by });
		await recordAudit(tx, by, { action: "password.reset", subject: userId });
	});
}
