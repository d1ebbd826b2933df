import { randomUUID } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import { failures } from "../failures.ts";
import type { MessageRequest } from "../message.ts";
import {
	type Accepting,
	explainRefusal,
	prepareMessage,
	recordPrepared,
} from "../messages/accept-message.ts";
import type { Accepted } from "../messages/message.store.ts";
import { ensureRecipient } from "../recipients/ensure-recipient.ts";
import { findActivePerson, hasVerifiedAddress } from "../recipients/recipient.store.ts";
import type { Readable } from "../templates/preview-template.ts";
import { findTestInTheWay } from "./test.store.ts";

/** How long a test is tried, in milliseconds: later its author does not wait for it. */
const lifetimeMs = 3_600_000;
/** In which time the tests of a person are counted, in milliseconds. */
const countedMs = 3_600_000;
const testsMax = 20;

/** A draft that a person sends to the own address. */
export type TemplateTest = Pick<Readable, "template" | "values"> & {
	tenantId: string;
	userId: string;
	claims: AccessTokenClaims;
	channel: Channel;
	locale: string;
	from: Pick<MessageRequest, "requester" | "claims" | "isUnlimited">;
};

/**
 * Sends a draft to the own verified address of a person, on the way of every message, and returns the masked
 * addresses. It has the limits and the costs of the channel, but preferences and quiet hours do not hold it
 * up. Throws `address_unverified`, `tests_limited`, `test_unreachable`, or a failure of accepting a message.
 */
export async function sendTest(
	parts: Accepting,
	test: TemplateTest,
): Promise<{ messageId: string; addresses: readonly string[] }> {
	const { tenantId, userId, channel } = test;
	const at = parts.now();
	await inTenant(parts.db, tenantId, async (tx) => {
		await ensureRecipient(tx, { tenantId, vault: parts.vault, claims: test.claims, now: at });
		if (!(await hasVerifiedAddress(tx, { channel, id: userId }))) throw failures.address_unverified();
	});
	const prepared = await prepareTest(parts, test, at);
	const accepted = await inTenant(parts.db, tenantId, async (tx) => {
		// Locked, so that tests that are sent at once are counted one after the other.
		if ((await findActivePerson(tx, { tenantId, id: userId, lock: true })) === undefined)
			throw failures.address_unverified();
		const since = new Date(at.getTime() - countedMs);
		const inTheWay = await findTestInTheWay(tx, { tenantId, userId, since, max: testsMax });
		if (inTheWay !== undefined) throw limited(inTheWay, at);
		// Limits are checked with the commit: last.
		const recorded = await recordPrepared(tx, prepared, at);
		if (recorded.pending === 0) throw unreachable(recorded);
		return recorded;
	}).catch(explainRefusal);
	return {
		messageId: accepted.messageId,
		addresses: prepared.deliveries.map(({ masked }) => String(masked)),
	};
}

const prepareTest = (
	parts: Accepting,
	{ tenantId, userId, channel, locale, template, values, from }: TemplateTest,
	at: Date,
) =>
	prepareMessage(parts, {
		...{ tenantId, source: "test", channel, template: template.path, to: [`user:${userId}`] },
		...{ data: {}, draft: { template, values }, locale, overLimit: "refuse" },
		...from,
		// The same draft can be tested again.
		idempotencyKey: randomUUID(),
		expiresAt: new Date(at.getTime() + lifetimeMs),
	});

function limited(inTheWay: Date, now: Date) {
	const seconds = Math.ceil((inTheWay.getTime() + countedMs - now.getTime()) / 1_000);
	return failures.tests_limited({ headers: { "retry-after": String(Math.max(1, seconds)) } });
}

const reasons: Readonly<Record<string, string>> = {
	suppressed: "Your address is suppressed, because it bounced or is not valid.",
	skipped_no_credit: "The organisation has no SMS credit left.",
	skipped_no_subscription: "The organisation has no subscription for WhatsApp.",
};

function unreachable({ counts }: Accepted) {
	const [reason = ""] = Object.keys(counts);
	const because = reasons[reason];
	return failures.test_unreachable({
		...(because !== undefined && { message: `The test cannot be sent to you. ${because}` }),
		fields: { reason },
	});
}
