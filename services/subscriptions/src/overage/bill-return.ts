import { treasuryIntentChanged } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { type ReturnReport, readReturn } from "../billing/receive-return.ts";
import { type ChangeParts, changeSubscription } from "../record/change-subscription.ts";
import { findBill, writeBill } from "../record/overage-bill.store.ts";
import { recordReturned } from "../record/returned.store.ts";
import { returnedBill } from "../rules/lifecycle/overage-bill.ts";

/** Consumer of refunds and lost disputes of overage bills. */
export const billReturnConsumers = (changing: Omit<ChangeParts, "db">): readonly Consumer[] => [
	defineConsumer(treasuryIntentChanged, async (db, event) => {
		const report = readReturn(event);
		if (report !== undefined) await receiveBillReturn({ ...changing, db }, report);
	}),
];

/**
 * A bill whose payment was returned as a whole is unpaid again, and published so, once. Of a payment that is
 * not received yet the return waits.
 */
export async function receiveBillReturn(changing: ChangeParts, report: ReturnReport): Promise<void> {
	const { tenantId, operationId: id, returnedMinor, correlationId } = report;
	const known = await inTenant(changing.db, tenantId, (tx) => findBill(tx, { tenantId, id }));
	if (known === undefined) return;
	await changeSubscription(changing, { tenantId, correlationId }, async (subscription, { tx, moment }) => {
		const { now } = moment;
		const amountMinor = await recordReturned(tx, { tenantId, operationId: id, returnedMinor, now });
		const bill = amountMinor === 0n ? undefined : await findBill(tx, { tenantId, id });
		const unpaid = bill && returnedBill(bill, returnedMinor);
		if (unpaid === undefined) return { subscription, announcements: [], result: undefined };
		await writeBill(tx, unpaid);
		return { subscription, announcements: [{ what: "overage_unpaid", bill: unpaid }], result: undefined };
	});
}
