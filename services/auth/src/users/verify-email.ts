import { hashSecret } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { countUserLinks, takeUserLink } from "../links/link.store.ts";
import { sendLink, showLink } from "../links/send-link.ts";
import { announceUser } from "../members/announce-user.ts";
import { findPerson, verifyEmail } from "./person.store.ts";

const kind = "email_verification";
const linksAnHour = 3;

/** Sends a person a link that proves their address, at most three an hour; nothing when it is proved. Throws `rate_limited`. */
export async function requestVerification(
	dependencies: Dependencies,
	userId: string,
	origin: Origin,
): Promise<void> {
	const { db, limits } = dependencies;
	await limits.linkRequests.take(origin.ip);
	const user = await findPerson(db, userId);
	if (user === undefined || user.emailVerified) return;
	const since = new Date(origin.now.getTime() - 3_600_000);
	if ((await countUserLinks(db, { userId, kind, since })) >= linksAnHour) return;
	const value = await db.transaction((tx) => sendLink(tx, dependencies, { kind, user, origin }));
	showLink(dependencies, kind, value);
}

/** Notes that an address is the person's who brings the value of a link sent to it. Throws `link_invalid`. */
export async function proveEmail(
	{ db }: Pick<Dependencies, "db">,
	token: string,
	origin: Origin,
): Promise<void> {
	await db.transaction(async (tx) => {
		const link = await takeUserLink(tx, { tokenHash: hashSecret(token), kind, now: origin.now });
		if (link === undefined) throw failures.link_invalid({ fields: { field: "token", in: "body" } });
		if (!(await verifyEmail(tx, link))) return;
		const by = { ...origin, actorUserId: link.userId };
		await announceUser(tx, { userId: link.userId, origin: by });
		await recordAudit(tx, by, { action: "email.verified", subject: link.userId });
	});
}
