import { notificationsAddressFailed } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { keysOfDeliveries } from "./delivery-keys.ts";
import {
	type AddressToSuppress,
	invalidateContactPoints,
	suppressAddressesOf,
} from "./suppress-addresses.store.ts";

type Suppressing = {
	tenantId: string;
	items: readonly AddressToSuppress[];
	now: Date;
	vault: Pick<Vault, "otherKeysOf">;
};

/**
 * Suppresses the addresses of deliveries after what their providers said, marks contact points and devices
 * that can never be reached, and publishes `notifications.address.failed` for each new suppression. Call it
 * inside the tenant.
 */
export async function suppressAddresses(
	tx: Database,
	{ tenantId, items, now, vault }: Suppressing,
): Promise<void> {
	if (items.length === 0) return;
	const suppressed = await suppressAddressesOf(tx, { tenantId, items, now });
	const unreachable = items.filter(({ category, days }) => category === undefined && days === undefined);
	const deliveryIds = unreachable.map(({ deliveryId }) => deliveryId);
	if (deliveryIds.length > 0) {
		const places = await keysOfDeliveries(tx, vault, deliveryIds);
		await invalidateContactPoints(tx, { tenantId, places, now });
	}
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
