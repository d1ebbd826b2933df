import { inTenant } from "@lango/postgres";
import { lockAvailable } from "../ledger/available.store.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { lockPayout } from "../payouts/payout.store.ts";
import type { Treasury } from "../treasury.ts";

const waitingMs = 14 * 24 * 3_600_000;

/** Since when a payout waits for an approval that is cancelled at an instant: for 14 days. Pure. */
export const waitingSince = (now: Date): Date => new Date(now.getTime() - waitingMs);

/** The code of a payout that was not approved in time. */
const notApproved = "not_approved";

/** Cancels a payout that was not approved in time: what it holds is available again. */
export function expirePayout({ db, now }: Treasury, tenantId: string, payoutId: string): Promise<void> {
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			const [payout, at] = [await lockPayout(tx, payoutId), now()];
			if (payout?.status !== "awaiting_approval" || payout.createdAt >= waitingSince(at)) return;
			await applyOutcome(tx, {
				...{ tenantId, payoutId, source: "request", sourceId: undefined, at },
				payout: { kind: "cancelled", code: notApproved },
			});
		}),
	);
}
