import { hashSecret } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findUserLink, takeUserLink } from "../links/link.store.ts";
import { sendLinkWithin, showLink } from "../links/send-link.ts";
import { announceUser } from "../members/announce-user.ts";
import { isKnown, lockPerson, type Person, verifyEmail } from "./person.store.ts";

const kind = "email_verification";

/** Sends a person a link that proves their address, at most three an hour; nothing when it is proved. Throws `rate_limited`. */
export async function requestVerification(
	dependencies: Dependencies,
	userId: string,
	origin: Origin,
): Promise<void> {
	const { db, limits } = dependencies;
	await limits.linkRequests.take(origin.ip);
	const isDue = (user: Person) => isKnown(user) && !user.emailVerified;
	const value = await db.transaction((tx) =>
		sendLinkWithin(tx, dependencies, { kind, userId, isDue, origin }),
	);
	if (value !== undefined) showLink(dependencies, kind, value);
}

/** Notes that an address is the person's who brings the value of a link sent to it. Throws `link_invalid`. */
export async function proveEmail(
	{ db }: Pick<Dependencies, "db">,
	token: string,
	origin: Origin,
): Promise<void> {
	const taking = { tokenHash: hashSecret(token), kind, now: origin.now } as const;
	await db.transaction(async (tx) => {
		const found = await findUserLink(tx, taking);
		if (found !== undefined) await lockPerson(tx, found.userId);
		const link = await takeUserLink(tx, taking);
		if (link === undefined) throw failures.link_invalid({ fields: { field: "token", in: "body" } });
		if (!(await verifyEmail(tx, link))) return;
		const by = { ...origin, actorUserId: link.userId };
		await announceUser(tx, { userId: link.userId, origin: by });
		await recordAudit(tx, by, { action: "email.verified", subject: link.userId });
	});
}
