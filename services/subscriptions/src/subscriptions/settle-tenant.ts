import { inTenant } from "@lango/postgres";
import { billOverage } from "../overage/bill-overage.ts";
import { type ChangeParts, changeLocked } from "../record/change-subscription.ts";
import { lockSubscription } from "../record/subscription.store.ts";
import { findTestClock } from "../record/test-clock.store.ts";

/**
 * Lets happen, and tells of, what has fallen due of one tenant until now, and asks for what follows. What stands is derived
 * whenever it is read, so who settles late gives nothing away; settled early, twice, or by several processes at once, nothing
 * happens more than once. A tenant without a subscription, or with a clock of its own, is left as it is.
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
