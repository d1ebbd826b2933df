import { type Domain, Failure } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import type { MessageRequest } from "../message.ts";
import {
	type Accepting,
	explainRefusal,
	prepareMessage,
	recordPrepared,
} from "../messages/accept-message.ts";
import { findActivePerson } from "../recipients/recipient.store.ts";
import type { DigestItem } from "./add-to-digest.ts";
import { beginClosing, type ClosingWindow, endWindow, listItems } from "./digest.store.ts";

/** What sending a digest needs. */
export type Closing = Accepting & Pick<Domain, "tenancy"> & { settings: { consoleUrl: string } };

/**
 * Sends a digest that is due: first the window takes no more items, then its message is recorded in the
 * transaction that ends it. So every item is in exactly one digest, also after a crash between the two. A
 * person who is no longer active gets none. Throws `TenantUnavailable`, `EntitlementsUnavailable`, or the
 * failure `channel_limited`; the digest waits.
 */
export async function closeDigest(
	parts: Closing,
	{ id, tenantId }: { id: string; tenantId: string },
): Promise<void> {
	const { db, now, vault } = parts;
	const found = await inTenant(db, tenantId, async (tx) => {
		const window = await beginClosing(tx, { id, now: now() });
		if (window === undefined) return undefined;
		const person = await findActivePerson(tx, { tenantId, id: window.userId });
		return { window, person, sealed: await listItems(tx, id) };
	});
	if (found === undefined) return;
	const { window, person, sealed } = found;
	const endWithout = (reason: string) => inTenant(db, tenantId, (tx) => endWindow(tx, { id, reason }, now()));
	const tenant = await parts.tenancy.findById(tenantId);
	if (person === undefined || tenant === undefined) return void (await endWithout("person_inactive"));
	const items = sealed.map((one) => vault.openData(one) as DigestItem);
	const action_link = `${parts.settings.consoleUrl}/${tenant.slug}/inbox`;
	const data = { name: person.name, count: items.length, items, action_link };
	try {
		await send(parts, window, { tenantId, data });
	} catch (error) {
		if (!(error instanceof Failure) || error.kind !== "invalid_input") throw error;
		await endWithout(error.code);
	}
}

async function send(
	parts: Closing,
	{ id, triggerId, channel, userId }: ClosingWindow,
	{ tenantId, data }: { tenantId: string; data: MessageRequest["data"] },
): Promise<void> {
	const { db, now } = parts;
	const prepared = await prepareMessage(parts, {
		...{
			tenantId,
			source: "digest",
			channel,
			template: "notifications/digest",
			to: [`user:${userId}`],
			data,
		},
		requester: { kind: "trigger", id: triggerId ?? id },
		idempotencyKey: `digest ${id}`,
		overLimit: "skip",
	});
	const messageId = String(prepared.message["id"]);
	const end = async (tx: Database) => {
		if (await endWindow(tx, { id, messageId }, now())) await recordPrepared(tx, prepared, now());
	};
	await inTenant(db, tenantId, end).catch(explainRefusal);
}
