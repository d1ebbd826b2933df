import type { Database } from "@lango/postgres";
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

/**
 * Marks the contact points and devices with the addresses of these deliveries as invalid. Call it inside the
 * tenant.
 */
export async function invalidateContactPointsOf(
	tx: Database,
	{ deliveryIds, now }: { deliveryIds: readonly string[]; now: Date },
): Promise<void> {
	await tx.query(
		`update contact_points c set invalid_at = $2 from message_deliveries d
		  where d.id = any ($1) and c.tenant_id = d.tenant_id and c.channel = d.channel and c.address_key = d.address_key
		    and c.invalid_at is null`,
		[[...deliveryIds], now],
	);
}
