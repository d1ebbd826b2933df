import { type Domain, observe } from "@lango/chassis";
import { createCache } from "@lango/memory";
import type { Vault } from "../addresses/sealed-address.ts";
import { countOlderSuppressions, findRenewal } from "./key.store.ts";

/** Suppressions are counted again after this time. */
const countedMs = 600_000;

/**
 * Reports how many rows under an older key the last pass over all tenants found, by table, and how many
 * suppressions keep an older key. Before the first pass under the newest key is complete there is no value
 * for the tables that are renewed.
 */
export function observeKeys({ db, meter, now }: Pick<Domain, "db" | "meter" | "now">, vault: Vault): void {
	const counts = createCache<number>({ sizeMax: 1, maxAgeMs: countedMs, now });
	const countSuppressions = () =>
		counts.load("suppressions", () => countOlderSuppressions(db, { newest: vault.newestKeyId, now: now() }));
	observe(meter, "lango.keys.older_rows", async () => {
		const renewal = await findRenewal(db, vault.newestKeyId);
		const rows = { ...renewal?.found, suppressions: await countSuppressions() };
		return Object.entries(rows).map(([table, value]) => ({
			value,
			attributes: { "lango.table": table },
		}));
	});
}
