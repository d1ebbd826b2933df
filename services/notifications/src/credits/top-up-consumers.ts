import { isAskedBy, treasuryPaymentFailed, treasuryPaymentSucceeded } from "@lango/contracts";
import { type Consumer, defineConsumer, InvalidEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Static } from "typebox";
import { changeCredit } from "./change-credit.ts";
import { endTopUp, lockTopUp } from "./top-up.store.ts";

/**
 * Books the credit of a purchase when its payment succeeded, once. The money counts, so a payment that comes
 * after the purchase failed or expired is booked, too. Payments of other services are ignored. A second
 * payment, another amount, or an unknown purchase becomes a dead letter: an operator has to return money.
 */
export const topUpConsumers = ({ now }: { now: () => Date }): readonly Consumer[] => [
	defineConsumer(treasuryPaymentSucceeded, async (db, { data }) => {
		if (isAskedBy("notifications", data))
			await inTenant(db, data.tenant_id, (tx) => bookPayment(tx, data, now()));
	}),
	defineConsumer(treasuryPaymentFailed, async (db, { data }) => {
		if (!isAskedBy("notifications", data)) return;
		const { operation_id: id, tenant_id: tenantId, reason } = data;
		await inTenant(db, tenantId, async (tx) => {
			const topUp = await lockTopUp(tx, { tenantId, id });
			if (topUp?.status === "open") await endTopUp(tx, { tenantId, id, status: "failed", reason }, now());
		});
	}),
];

type Payment = Static<typeof treasuryPaymentSucceeded.data>;

async function bookPayment(tx: Database, payment: Payment, now: Date): Promise<void> {
	const { operation_id: id, tenant_id: tenantId, payment_id: paymentId } = payment;
	const topUp = await lockTopUp(tx, { tenantId, id });
	if (topUp === undefined) throw new InvalidEvent(`the top-up ${id} is not known`);
	if (topUp.paymentId === paymentId) return;
	if (topUp.status === "paid") throw new InvalidEvent(`the top-up ${id} has another payment`);
	if (topUp.amountMinor !== payment.amount_minor || topUp.currency !== payment.currency)
		throw new InvalidEvent(`the payment of the top-up ${id} has another amount`);
	await endTopUp(tx, { tenantId, id, status: "paid", paymentId }, now);
	const { segments, pack: reason } = topUp;
	await changeCredit(tx, {
		...{ tenantId, kind: "top_up", segments, reason, operationId: id, paymentId, now },
	});
}
