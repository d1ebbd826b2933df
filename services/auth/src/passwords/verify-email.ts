import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { sendLinkWithin, showLink } from "../links/send-link.ts";
import { isKnown } from "../memberships/membership-state.ts";
import type { Person } from "../users/person.store.ts";

const kind = "email_verification";

type Needs = Pick<Dependencies, "db" | "limits" | "links" | "log" | "settings">;

/**
 * Sends a user a link to verify their address, at most three per hour; no effect if it is verified. Throws
 * `rate_limited`.
 */
export async function requestVerification(
	dependencies: Needs,
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
