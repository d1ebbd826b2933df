import { type Database, inTenant } from "@lango/postgres";
import { lockAvailable } from "../../ledger/available.store.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { isDeleted } from "../../payments/locator.store.ts";
import { lockPayout } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import type { Treasury } from "../../treasury.ts";

/** Cancels a payout if that is due once it is locked. Returns whether it did. */
export function cancelIfDue(
	{ db, now }: Treasury,
	{ tenantId, payoutId, code }: { tenantId: string; payoutId: string; code: string },
	isDue: (tx: Database, payout: Payout, at: Date) => Promise<boolean>,
): Promise<boolean> {
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			const [payout, at] = [await lockPayout(tx, payoutId), now()];
			if (payout === undefined || !(await isDue(tx, payout, at))) return false;
			await applyOutcome(tx, {
				...{ tenantId, payoutId, source: "request", sourceId: undefined, at },
				payout: { kind: "cancelled", code },
			});
			return true;
		}),
	);
}

/**
 * Cancels an approved payout of a deleted tenant: what it holds stays in the ledger as the tenant's. Returns
 * whether it did.
 */
export const cancelOfDeleted = (domain: Treasury, tenantId: string, payoutId: string): Promise<boolean> =>
	cancelIfDue(
		domain,
		{ tenantId, payoutId, code: "tenant_deleted" },
		async (tx, { status }) => status === "approved" && (await isDeleted(tx, tenantId)),
	);
