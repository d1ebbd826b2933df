import { inTenant } from "@lango/postgres";
import { billOverage } from "../overage/bill-overage.ts";
import { type ChangeParts, changeLocked } from "../record/change-subscription.ts";
import { lockSubscription } from "../record/subscription.store.ts";
import { findTestClock } from "../record/test-clock.store.ts";

/**
 * Applies and announces the due steps of one tenant, and schedules the next settlement. The state is derived
 * on every read, so a late settlement gives nothing away. An early, repeated or concurrent settlement has no
 * further effect. A tenant without a subscription, or with a test clock, is skipped.
 */
export async function settleTenant(changing: ChangeParts, tenantId: string): Promise<void> {
	const { db, clock } = changing;
	await inTenant(db, tenantId, async (tx) => {
		if (clock.hasTestClocks && (await findTestClock(tx, tenantId)) !== undefined) return;
		const locked = await lockSubscription(tx, { tenantId });
		if (locked === undefined) return;
		await changeLocked(changing, { tenantId, tx, locked, now: clock.now() }, billOverage);
	});
}
