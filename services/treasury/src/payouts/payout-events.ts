import { treasuryPayoutChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import type { Payout } from "./payout.ts";

/** Publishes the state of a payout. Call it in the transaction of the change. */
export async function recordPayoutChanged(tx: Database, payout: Payout, now: Date): Promise<void> {
	const { id, tenantId, status, netMinor, currency, needsReview, version } = payout;
	await recordEvent(tx, treasuryPayoutChanged, {
		...{ subject: id, tenantId, now },
		data: {
			...{ payout_id: id, tenant_id: tenantId, status, amount_minor: toMinor(netMinor), currency },
			...{ needs_review: needsReview, version },
		},
	});
}
