import { treasuryPaymentFailed, treasuryPaymentSucceeded } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import {
	type Failed,
	isOfOurs,
	readFailed,
	readSucceeded,
	type Succeeded,
} from "../billing/receive-payment.ts";
import { settleWaiting } from "../billing/receive-return.ts";
import { type ChangeParts, changeSubscription } from "../record/change-subscription.ts";
import { findBill, noteBillFailure, recordBillPayment, writeBill } from "../record/overage-bill.store.ts";
import { paidBill } from "../rules/lifecycle/overage-bill.ts";
import { credit } from "../rules/lifecycle/settle-payment.ts";
import { receiveBillReturn } from "./bill-return.ts";

/** Consumers of the treasury's payment events for overage bills. Other operations are ignored. */
export function billPaymentConsumers(changing: Omit<ChangeParts, "db">): readonly Consumer[] {
	return [
		defineConsumer(treasuryPaymentSucceeded, async (db, event) => {
			if (isOfOurs(event)) await receiveBillPayment({ ...changing, db }, readSucceeded(event));
		}),
		defineConsumer(treasuryPaymentFailed, async (db, event) => {
			if (isOfOurs(event)) await receiveBillFailure(db, readFailed(event));
		}),
	];
}

/**
 * Settles a bill, once per payment. A second payment, or another amount, becomes credit, so that no money is
 * lost. A return of it that came before is settled next.
 */
export async function receiveBillPayment(changing: ChangeParts, succeeded: Succeeded): Promise<void> {
	const { tenantId, operationId: id, correlationId, paymentId, amountMinor, currency } = succeeded;
	const known = await inTenant(changing.db, tenantId, (tx) => findBill(tx, { tenantId, id }));
	if (known === undefined) return;
	await changeSubscription(changing, { tenantId, correlationId }, async (subscription, { tx, moment }) => {
		const unchanged = { subscription, announcements: [], result: undefined };
		// Read again under the lock of the subscription, which also guards its bills.
		const bill = await findBill(tx, { tenantId, id });
		if (bill === undefined) return unchanged;
		const payment = { id: paymentId, bill, amountMinor, currency, receivedAt: moment.now };
		if (!(await recordBillPayment(tx, payment))) return unchanged;
		const paid = paidBill(bill, { paymentId, amountMinor, currency }, moment.now);
		if (paid === undefined)
			return { ...unchanged, subscription: credit(subscription, amountMinor, currency) };
		await writeBill(tx, paid);
		return unchanged;
	});
	await settleWaiting(changing, { ...succeeded, settle: receiveBillReturn });
}

/**
 * Records a failed attempt. The subscription stays as it is, and the payment is requested again on schedule.
 */
export async function receiveBillFailure(
	db: Database,
	{ tenantId, operationId: id, attempt, reason }: Failed,
): Promise<void> {
	await inTenant(db, tenantId, (tx) => noteBillFailure(tx, { tenantId, id, attempt, reason }));
}
