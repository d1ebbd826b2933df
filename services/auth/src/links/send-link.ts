import { randomUUID } from "node:crypto";
import { authEmailVerificationRequested, authPasswordResetRequested, type Language } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { hashSecret } from "@lango/tokens";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { type LinkKind, linkAddress } from "../secrets/link-secret.ts";
import { type Person as FullPerson, lockPerson } from "../users/person.store.ts";
import { countUserLinks, recordUserLink, spendUserLinks, type UserLinkKind } from "./link.store.ts";

const kinds = {
	password_reset: { lifeSeconds: 3_600, event: authPasswordResetRequested },
	email_verification: { lifeSeconds: 3 * 86_400, event: authEmailVerificationRequested },
} as const;

type Person = { id: string; email: string; name: string; locale?: Language | null };

type Sending = { kind: UserLinkKind; user: Person; origin: Origin };

/** Like `sendFirstLink`, and makes earlier links of the kind invalid. */
async function sendLink(
	tx: Database,
	dependencies: Pick<Dependencies, "links">,
	sending: Sending,
): Promise<string> {
	const { kind, user, origin } = sending;
	await spendUserLinks(tx, { userId: user.id, kind, now: origin.now });
	return sendFirstLink(tx, dependencies, sending);
}

/**
 * Creates the first link of its kind for a person and publishes the event that gets it sent. The event
 * contains the link's id and no secret. Call it in a transaction, and `showLink` after it.
 */
export async function sendFirstLink(
	tx: Database,
	{ links }: Pick<Dependencies, "links">,
	{ kind, user, origin }: Sending,
): Promise<string> {
	const { now } = origin;
	const { lifeSeconds, event } = kinds[kind];
	const locale = user.locale ?? origin.language;
	const { id, value } = mintLink(links, { kind });
	const expiresAt = new Date(now.getTime() + lifeSeconds * 1_000);
	await recordUserLink(tx, {
		id,
		kind,
		userId: user.id,
		email: user.email,
		tokenHash: hashSecret(value),
		keyId: links.keyId,
		now,
		expiresAt,
	});
	await recordEvent(tx, event, {
		subject: user.id,
		correlationId: origin.requestId,
		now,
		data: {
			link_id: id,
			user_id: user.id,
			email: user.email,
			name: user.name,
			expires_at: expiresAt.toISOString(),
			...(locale !== undefined && { locale }),
		},
	});
	return value;
}

const linksAnHour = 3;

/**
 * Like `sendLink`, at most three links of a kind per person and hour, also with parallel requests.
 * Undefined if the limit is reached, the user no longer exists, or `isDue` returns false.
 */
export async function sendLinkWithin(
	tx: Database,
	dependencies: Pick<Dependencies, "links">,
	sending: {
		kind: UserLinkKind;
		userId: string;
		isDue: (user: FullPerson) => boolean;
		origin: Origin;
	},
): Promise<string | undefined> {
	const { kind, userId, isDue, origin } = sending;
	const user = await lockPerson(tx, userId);
	if (user === undefined || !isDue(user)) return undefined;
	const since = new Date(origin.now.getTime() - 3_600_000);
	if ((await countUserLinks(tx, { userId, kind, since })) >= linksAnHour) return undefined;
	return sendLink(tx, dependencies, { kind, user, origin });
}

type LinkOwner = { kind: UserLinkKind } | { kind: "invitation"; tenantId: string };

/** The id of a new link and its secret value. */
export function mintLink(links: Dependencies["links"], of: LinkOwner): { id: string; value: string } {
	const id = randomUUID();
	const value = links.write({ ...of, id, keyId: links.keyId });
	if (value === undefined) throw new Error("the newest key cannot create links");
	return { id, value };
}

/** Writes the address of a link to the log, for development without a mail sender (AUTH_SHOW_LINKS). */
export function showLink(
	{ settings, log }: Pick<Dependencies, "settings" | "log">,
	kind: LinkKind,
	value: string,
): void {
	if (!settings.showLinks) return;
	log.warn(
		{ kind, address: linkAddress(settings.accountsUrl, kind, value) },
		"a link that would be sent by mail",
	);
}
