import type { Database } from "@lango/postgres";
import { addSeal, closeDays, firstId } from "./seal.store.ts";

/** As in `add_seal`: fewer were sealed only if none is left. */
const sealedAtOnce = 50_000n;
const accountsAtOnce = 1_000;

/** Adds what is committed and not sealed yet to the hash chain. Returns how many journals. */
export async function sealJournals(db: Database, signal?: AbortSignal): Promise<bigint> {
	let sealed = 0n;
	for (;;) {
		const many = await addSeal(db);
		sealed += many;
		if (many < sealedAtOnce || signal?.aborted) return sealed;
	}
}

/** Closes the days that are over and complete, of every account, so that statements start from them. */
export async function closeLedgerDays(db: Database, signal?: AbortSignal): Promise<void> {
	let after: string | undefined = firstId;
	while (after !== undefined && !signal?.aborted)
		after = await closeDays(db, { after, limit: accountsAtOnce });
}
