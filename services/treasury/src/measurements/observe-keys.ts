import { type Domain, observe } from "@lango/chassis";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { listOlderSeals, sealedTables } from "./older-seal.store.ts";

/** Rows are counted up to this number. */
const countMax = 10_000;

/** Reports how many rows are under an older key, by table. */
export function observeKeys({ db, meter }: Pick<Domain, "db" | "meter">, keys: KeyEncryptionKeys): void {
	observe(meter, "lango.keys.older_rows", async () => {
		const rows = await listOlderSeals(db, { newest: keys[0]?.id ?? "", limit: countMax });
		return sealedTables.map((one) => ({
			value: rows.filter(({ table }) => table === one).length,
			attributes: { "lango.table": one },
		}));
	});
}
