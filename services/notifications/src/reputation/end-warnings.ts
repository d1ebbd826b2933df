import { type Database, inTenant } from "@lango/postgres";
import { judgeReputation } from "./change-reputation.ts";
import { listWarned } from "./reputation.store.ts";

const atOnce = 100;

/** Ends the warnings of tenants whose rates have fallen. */
export async function endWarnings(
	{ db, now }: { db: Database; now: () => Date },
	signal: AbortSignal,
): Promise<void> {
	let after: string | undefined;
	while (!signal.aborted) {
		const warned = await listWarned(db, { after, limit: atOnce });
		for (const tenantId of warned)
			await inTenant(db, tenantId, (tx) => judgeReputation(tx, { tenantId, now: now() }));
		after = warned.at(-1);
		if (warned.length < atOnce) return;
	}
}
