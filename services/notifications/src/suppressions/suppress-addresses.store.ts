import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** A delivery whose address is to be suppressed. */
export type AddressToSuppress = {
	deliveryId: string;
	reason: "bounce" | "invalid" | "complaint";
	/** The category that the recipient complained about; undefined: all categories. */
	category?: string;
	/** For how many days; undefined: for ever, or for 90 days where the suppression holds for every tenant. */
	days?: number;
};

/** An address that is suppressed since now. */
export type SuppressedAddress = {
	deliveryId: string;
	channel: Channel;
	userId: string | undefined;
	addressMasked: string;
	reason: string;
};

/**
 * Suppresses the addresses of deliveries. An address that can never be reached is suppressed for every tenant
 * for 90 days if a provider of the platform said so. Returns the new suppressions. Call it inside the tenant.
 */
export async function suppressAddressesOf(
	tx: Database,
	{ tenantId, items, now }: { tenantId: string; items: readonly AddressToSuppress[]; now: Date },
): Promise<SuppressedAddress[]> {
	const rows = await tx.query<{
		delivery_id: string;
		channel: Channel;
		user_id: string | null;
		address_masked: string;
		reason: string;
	}>("select delivery_id, channel, user_id, address_masked, reason from suppress_addresses($1, $2, $3)", [
		tenantId,
		JSON.stringify(items.map(({ deliveryId, ...item }) => ({ delivery_id: deliveryId, ...item }))),
		now,
	]);
	return rows.map((row) => ({
		deliveryId: row.delivery_id,
		channel: row.channel,
		userId: row.user_id ?? undefined,
		addressMasked: row.address_masked,
		reason: row.reason,
	}));
}

/** Lists the addresses of deliveries as they are stored; a purged one has only its key. */
export async function listAddressesOfDeliveries(
	tx: Database,
	deliveryIds: readonly string[],
): Promise<Array<{ deliveryId: string; channel: Channel; addressKey: Buffer; address: Sealed | undefined }>> {
	const rows = await tx.query<{
		id: string;
		channel: Channel;
		address_key: Buffer;
		address_key_id: string | null;
		address: Buffer | null;
	}>("select id, channel, address_key, address_key_id, address from message_deliveries where id = any ($1)", [
		[...deliveryIds],
	]);
	return rows.map(({ id, channel, address_key, address_key_id: keyId, address }) => ({
		...{ deliveryId: id, channel, addressKey: address_key },
		address: keyId === null || address === null ? undefined : { keyId, sealed: address },
	}));
}

/** Where the address of a delivery is found: its keys. */
export type AddressPlace = { deliveryId: string; channel: Channel; keys: readonly Buffer[] };

/** Marks contact points and devices with these addresses as invalid. Call it inside the tenant. */
export async function invalidateContactPoints(
	tx: Database,
	{ places, now }: { places: readonly AddressPlace[]; now: Date },
): Promise<void> {
	const keys = places.flatMap(({ channel, keys: all }) =>
		all.map((key) => ({ channel, key: key.toString("hex") })),
	);
	await tx.query(
		`update contact_points c set invalid_at = $2 from jsonb_to_recordset($1) as k (channel text, key text)
		  where c.channel = k.channel and c.address_key = decode(k.key, 'hex') and c.invalid_at is null`,
		[JSON.stringify(keys), now],
	);
}
