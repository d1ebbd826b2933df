import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { sendLinkWithin, showLink } from "../links/send-link.ts";
import { isKnown } from "../memberships/membership-state.ts";
import { foldEmail } from "../users/email.ts";
import { findPersonByEmail } from "../users/person.store.ts";

const kind = "password_reset";

type Needs = Pick<Dependencies, "db" | "limits" | "links" | "log" | "settings">;

/**
 * Sends a password reset link if the address belongs to a user who can sign in, at most three per hour. The
 * response and its time do not depend on that. Throws `rate_limited`.
 */
export async function requestReset(dependencies: Needs, email: string, origin: Origin): Promise<void> {
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
