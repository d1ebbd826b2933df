import { type Domain, observe } from "@lango/chassis";
import type { Vault } from "../addresses/sealed-address.ts";
import { findRenewal } from "./key.store.ts";

/**
 * Reports how many rows under an older key the last pass over all tenants found, by table. Before the first
 * pass under the newest key is complete there is no value.
 */
export function observeKeys({ db, meter }: Pick<Domain, "db" | "meter">, vault: Vault): void {
	observe(meter, "lango.keys.older_rows", async () => {
		const renewal = await findRenewal(db, vault.newestKeyId);
		return Object.entries(renewal?.found ?? {}).map(([table, value]) => ({
			value,
			attributes: { "lango.table": table },
		}));
	});
}
