import { notificationsAddressFailed } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import {
	type AddressToSuppress,
	invalidateContactPointsOf,
	suppressAddressesOf,
} from "./suppress-addresses.store.ts";

/**
 * Suppresses the addresses of deliveries after what their providers said, marks contact points and devices
 * that can never be reached, and publishes `notifications.address.failed` for each new suppression. Call it
 * inside the tenant.
 */
export async function suppressAddresses(
	tx: Database,
	{ tenantId, items, now }: { tenantId: string; items: readonly AddressToSuppress[]; now: Date },
): Promise<void> {
	if (items.length === 0) return;
	const suppressed = await suppressAddressesOf(tx, { tenantId, items, now });
	const unreachable = items.filter(({ category, days }) => category === undefined && days === undefined);
	const deliveryIds = unreachable.map(({ deliveryId }) => deliveryId);
	if (deliveryIds.length > 0) await invalidateContactPointsOf(tx, { deliveryIds, now });
	for (const one of suppressed)
		await recordEvent(tx, notificationsAddressFailed, {
			subject: one.deliveryId,
			tenantId,
			now,
			data: {
				tenant_id: tenantId,
				channel: one.channel,
				user_id: one.userId ?? null,
				address_masked: one.addressMasked,
				reason: one.reason,
				at: now.toISOString(),
			},
		});
}
