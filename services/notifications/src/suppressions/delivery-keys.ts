import type { Database } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { type AddressPlace, listAddressesOfDeliveries } from "./suppress-addresses.store.ts";

/**
 * Returns where the addresses of deliveries are found: under the key that is stored with each, and under
 * every other configured one, because rows get the newest key one after the other. Call it inside the tenant.
 */
export async function keysOfDeliveries(
	tx: Database,
	vault: Pick<Vault, "otherKeysOf">,
	deliveryIds: readonly string[],
): Promise<readonly AddressPlace[]> {
	const found = await listAddressesOfDeliveries(tx, deliveryIds);
	return found.map(({ deliveryId, channel, addressKey, address }) => ({
		...{ deliveryId, channel },
		keys: [addressKey, ...(address === undefined ? [] : vault.otherKeysOf(channel, { address, addressKey }))],
	}));
}
