import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { ranks } from "../delivery.ts";
import { settleIn } from "../dispatch/settle.ts";
import {
	eraseDeliveries,
	findTenantId,
	listAddresses,
	listOpenDeliveries,
	listPlaces,
	recordErasedCompletely,
	removeDigests,
	removeLinkMailsOf,
	removePerson,
	type StoredAddress,
} from "./erase-person.store.ts";

const batch = 500;

type Erasing = {
	db: Database;
	now: () => Date;
	vault: Pick<Vault, "otherKeysOf">;
	settings: { platformOwnerSlug: string };
};

/**
 * Erases a person in every tenant. Open deliveries are cancelled; an SMS or WhatsApp message whose provider
 * was called ends with an unknown outcome, and its credit is used. Addresses and data of deliveries are
 * removed, and so are contact points, preferences and the recipient. Suppressions keep their key, so that the
 * address gets nothing. May be repeated after a crash.
 */
export async function erasePerson(parts: Erasing, id: string): Promise<void> {
	const { db, now, settings } = parts;
	const places = await listPlaces(db, id);
	const known = new Map<string, StoredAddress[]>();
	for (const tenantId of places)
		known.set(tenantId, await inTenant(db, tenantId, (tx) => listAddresses(tx, id)));
	const emails = [...known.values()].flat().filter(({ channel }) => channel === "email");
	const platform = await findTenantId(db, settings.platformOwnerSlug);
	// Messages of the platform about the person have no recipient there, only the address.
	for (const tenantId of new Set([...(platform === undefined ? [] : [platform]), ...places])) {
		// First, so that the message of a digest that is sent meanwhile is among the deliveries.
		await inTenant(db, tenantId, (tx) => removeDigests(tx, id));
		const keys = keysOf(parts, [...emails, ...(known.get(tenantId) ?? [])]);
		let erased = 0;
		do {
			erased = await inTenant(db, tenantId, (tx) => eraseBatch(tx, { tenantId, id, keys, now: now() }));
		} while (erased === batch);
	}
	await removeLinkMailsOf(db, id);
	// Last, so that a repetition still finds every place and every key.
	for (const tenantId of places) await inTenant(db, tenantId, (tx) => removePerson(tx, { tenantId, id }));
	await recordErasedCompletely(db, { id, now: now() });
}

/** The keys under which deliveries have these addresses: those from before a rotation have another one. */
const keysOf = ({ vault }: Erasing, addresses: readonly StoredAddress[]) =>
	addresses.flatMap((stored) => [stored.addressKey, ...vault.otherKeysOf(stored.channel, stored)]);

async function eraseBatch(
	tx: Database,
	{ tenantId, now, ...of }: { tenantId: string; id: string; keys: readonly Buffer[]; now: Date },
): Promise<number> {
	const open = await listOpenDeliveries(tx, { tenantId, ...of, limit: batch });
	const results = open.map(({ id, mayBeSent }) => ({
		id,
		from: ["queued", "sending", "unknown"] as const,
		...(mayBeSent
			? { status: "expired" as const, rank: ranks.sent, errorClass: "unknown", errorCode: "outcome_unknown" }
			: { status: "cancelled" as const }),
		event: { kind: "decision" as const, detail: { decision: "erased" } },
	}));
	if (results.length > 0) await settleIn(tx, { tenantId, results, now });
	return eraseDeliveries(tx, { tenantId, ...of, limit: batch });
}
