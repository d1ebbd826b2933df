import { hashSecret } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findUserLink, spendUserLinks, takeUserLink, type UserLinkKind } from "../links/link.store.ts";
import { announceUser } from "../members/announce-user.ts";
import { isKnown } from "../memberships/membership-state.ts";
import { endUserSessions } from "../sessions/logout/end-user-sessions.ts";
import { findPerson, lockPerson, verifyEmail } from "../users/person.store.ts";
import { replacePasswordHash } from "./credential.store.ts";
import { requireStrongPassword } from "./password-rule.ts";
import { requesterOf } from "./requester.ts";

const actions = { password_reset: "password.reset", email_verification: "email.verified" } as const;

/**
 * Redeems a link that was sent to a person's address: verifies the address, sets a new password, and ends
 * every session. Both kinds of link do the same, because the first password of an account can be that of a
 * stranger who registered another person's address (decision 0012). All other links of the person become
 * invalid. Of parallel calls one succeeds. Returns the folded address. Throws `link_invalid`,
 * `password_weak`, `too_many_sign_ins`, `sign_in_busy`.
 */
export async function redeemLink(
	{ db, hashing }: Pick<Dependencies, "db" | "hashing">,
	{ kind, token, password }: { kind: UserLinkKind; token: string; password: string },
	origin: Origin,
): Promise<{ emailFolded: string }> {
	const { now } = origin;
	const taking = { tokenHash: hashSecret(token), kind, now } as const;
	const invalid = () => failures.link_invalid({ fields: { field: "token", in: "body" } });
	const link = await findUserLink(db, taking);
	const user = link && (await findPerson(db, link.userId));
	if (link === undefined || user === undefined) throw invalid();
	requireStrongPassword(password, { email: user.email, field: "password" });
	const requester = requesterOf({ email: user.email, ip: origin.ip });
	const hash = await hashing.withShare(requester, (share) => share.hash(password));
	const userId = user.id;
	const by = { ...origin, actorUserId: userId };
	await db.transaction(async (tx) => {
		const current = await lockPerson(tx, userId);
		if (current === undefined || !isKnown(current)) throw invalid();
		if ((await takeUserLink(tx, taking)) === undefined) throw invalid();
		await replacePasswordHash(tx, { userId, hash, now });
		for (const other of Object.keys(actions) as UserLinkKind[])
			await spendUserLinks(tx, { userId, kind: other, now });
		// Before sessions end: a cluster then refuses a read of all tenants in the same transaction.
		if (await verifyEmail(tx, link)) await announceUser(tx, { userId, origin: by });
		await endUserSessions(tx, { userId, because: "password_changed", origin: by });
		await recordAudit(tx, by, { action: actions[kind], subject: userId });
	});
	return { emailFolded: user.emailFolded };
}
