import { randomInt, randomUUID } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { equalSecrets } from "@lango/tokens";
import { failures } from "../failures.ts";
import type { MessageRequest } from "../message.ts";
import { explainRefusal, prepareMessage, recordPrepared } from "../messages/accept-message.ts";
import type { Notifications } from "../parts.ts";
import { ensureRecipient } from "../recipients/ensure-recipient.ts";
import { findActivePerson } from "../recipients/recipient.store.ts";
import { countTry, findCode, findCodeInTheWay, recordCode, recordUsed } from "./code.store.ts";
import {
	addWithin,
	type Contact,
	type ContactChannel,
	findContact,
	lockContact,
	recordVerified,
} from "./contact.store.ts";

/** The template of codes. */
const template = "sign_on/verify_contact";
/** How long a code is valid, in milliseconds. */
const validMs = 10 * 60_000;
/** In which time codes are counted, in milliseconds. */
const countedMs = 3_600_000;
const triesMax = 5;
const digits = 6;

/** An address that a person adds. */
type Adding = {
	tenantId: string;
	userId: string;
	claims: AccessTokenClaims;
	channel: ContactChannel;
	/** Normalised. */
	address: string;
	masked: string;
	from: Pick<MessageRequest, "requester" | "claims" | "isUnlimited">;
};

/**
 * Adds an address of the person, and sends a code to it in the same transaction; nothing is sent to one that
 * is verified. Throws `person_not_found`, `too_many_contact_points`, `code_limited`, `contact_unreachable`,
 * or a failure of accepting a message.
 */
export async function addByCode(
	parts: Notifications,
	adding: Adding,
): Promise<{ contact: Contact; isSent: boolean }> {
	const { db, now, vault } = parts;
	const { tenantId, userId, claims, channel, masked } = adding;
	const address = { ...vault.sealAddress(channel, adding.address), masked };
	const code = { id: randomUUID(), text: String(randomInt(10 ** digits)).padStart(digits, "0") };
	const at = now();
	const prepared = await prepareCode(parts, { ...adding, code, at });
	// An SMS and a WhatsApp message to the same number count together.
	const keys = channel === "email" ? address.keys : phoneKeys(parts, adding.address);
	const hashes = vault.codeHashesOf(code.id, code.text);
	return inTenant(db, tenantId, async (tx) => {
		// First: a function of the look-up role does not see on a cluster what the transaction has changed.
		const since = new Date(at.getTime() - countedMs);
		const inTheWay = await findCodeInTheWay(tx, { userId, keys, since });
		await ensureRecipient(tx, { tenantId, vault, claims, now: at });
		if ((await findActivePerson(tx, { tenantId, id: userId, lock: true })) === undefined)
			throw failures.person_not_found();
		const known = await findContact(tx, { tenantId, userId, channel, keys: address.keys });
		if (known !== undefined && isUsable(known)) return { contact: known, isSent: false };
		if (inTheWay !== undefined) throw limited(inTheWay, at);
		const contact = known ?? (await addWithin(tx, { tenantId, userId, channel, address, now: at }));
		const ids = { tenantId, id: code.id, userId, contactId: contact.id };
		await recordCode(tx, { ...ids, key: first(keys), hash: first(hashes), now: at });
		// Limits are checked with the commit: last.
		const { pending } = await recordPrepared(tx, prepared, at);
		if (pending === 0) throw failures.contact_unreachable();
		return { contact, isSent: true };
	}).catch(explainRefusal);
}

const isUsable = ({ verifiedAt, invalidAt }: Contact) => verifiedAt !== null && invalidAt === null;

/** What is stored: under the newest key. */
function first([newest]: readonly Buffer[]): Buffer {
	if (newest === undefined) throw new Error("the vault has no key");
	return newest;
}

const phoneKeys = ({ vault }: Notifications, address: string) => [
	...vault.keysOf("sms", address),
	...vault.keysOf("whatsapp", address),
];

async function prepareCode(
	parts: Notifications,
	{ tenantId, userId, channel, address, from, code, at }: Adding & { code: Code; at: Date },
) {
	const prepared = await prepareMessage(parts, {
		...{ tenantId, source: "rest", channel, template, to: [address], data: { code: code.text } },
		...{ ...from, idempotencyKey: code.id, overLimit: "refuse" },
		expiresAt: new Date(at.getTime() + validMs),
	});
	// With the person, so that the delivery is found when the person is erased.
	return { ...prepared, deliveries: prepared.deliveries.map((one) => ({ ...one, user_id: userId })) };
}

type Code = { id: string; text: string };
const limited = (inTheWay: Date, now: Date) =>
	failures.code_limited(retryAfter(inTheWay.getTime() + countedMs, now));

/** Until a time in milliseconds. */
const retryAfter = (at: number, now: Date) => ({
	headers: { "retry-after": String(Math.max(1, Math.ceil((at - now.getTime()) / 1_000))) },
});

/**
 * Verifies an address by the newest code that was sent to it. A wrong try is counted. Throws
 * `contact_point_not_found`, `code_wrong`, or `code_tries_used` after five tries.
 */
export async function verifyByCode(
	{ db, now, vault }: Notifications,
	{ tenantId, userId, id, code }: { tenantId: string; userId: string; id: string; code: string },
): Promise<Contact> {
	const at = now();
	const result = await inTenant(db, tenantId, async (tx) => {
		if ((await lockContact(tx, { tenantId, userId, id })) === undefined)
			throw failures.contact_point_not_found();
		const sent = await findCode(tx, { tenantId, contactId: id, since: new Date(at.getTime() - validMs) });
		if (sent === undefined) return undefined;
		if (sent.tries >= triesMax)
			throw failures.code_tries_used(retryAfter(sent.sentAt.getTime() + validMs, at));
		if (!vault.codeHashesOf(sent.id, code).some((hash) => equalSecrets(hash, sent.hash))) {
			await countTry(tx, { tenantId, id: sent.id });
			return undefined;
		}
		await recordUsed(tx, { tenantId, id: sent.id });
		return recordVerified(tx, { tenantId, id, now: at });
	});
	// Outside of the transaction, so that the try counts.
	if (result === undefined) throw failures.code_wrong({ fields: { field: "code", in: "body" } });
	return result;
}
