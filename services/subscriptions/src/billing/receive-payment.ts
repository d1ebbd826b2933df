import { Failure } from "@lango/chassis";
import { isAskedBy, treasuryPaymentFailed, treasuryPaymentSucceeded } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { type ChangeParts, changeSubscription, type Work } from "../record/change-subscription.ts";
import { recordPayment } from "../record/operation.store.ts";
import { settleFailure, settlePayment } from "../rules/lifecycle/settle-payment.ts";
import type { Operation } from "../rules/money/operation.ts";
import type { EnvelopeOf } from "./event-envelope.ts";
import { receiveReturn, settleWaiting } from "./receive-return.ts";

type ReceivedAnswer = { tenantId: string; operationId: string; correlationId?: string | undefined };
export type Succeeded = ReceivedAnswer & { paymentId: string; amountMinor: bigint; currency: string };
export type Failed = ReceivedAnswer & { attempt: number; reason: string };

/**
 * Consumers of the treasury's payment events. Each payment counts once; operations of other services are
 * ignored.
 */
export function paymentConsumers(changing: Omit<ChangeParts, "db">): readonly Consumer[] {
	return [
		defineConsumer(treasuryPaymentSucceeded, async (db, event) => {
			if (isOfOurs(event)) await receivePayment({ ...changing, db }, readSucceeded(event));
		}),
		defineConsumer(treasuryPaymentFailed, async (db, event) => {
			if (isOfOurs(event)) await receiveFailure({ ...changing, db }, readFailed(event));
		}),
	];
}

/** Whether this service asked for the payment. */
export const isOfOurs = ({ data }: { data: Parameters<typeof isAskedBy>[1] }): boolean =>
	isAskedBy("subscriptions", data);

/** Reads a payment from its event. */
export function readSucceeded({
	data,
	correlationid,
}: EnvelopeOf<typeof treasuryPaymentSucceeded>): Succeeded {
	return {
		tenantId: data.tenant_id,
		operationId: data.operation_id,
		correlationId: correlationid,
		paymentId: data.payment_id,
		amountMinor: BigInt(data.amount_minor),
		currency: data.currency,
	};
}

/** Reads a failed attempt from its event. */
export function readFailed({ data, correlationid }: EnvelopeOf<typeof treasuryPaymentFailed>): Failed {
	return {
		tenantId: data.tenant_id,
		operationId: data.operation_id,
		correlationId: correlationid,
		attempt: data.attempt,
		reason: data.reason,
	};
}

/** Completes what was paid for, once per payment. A return of it that came before is settled next. */
export async function receivePayment(changing: ChangeParts, succeeded: Succeeded): Promise<void> {
	const { tenantId, operationId, paymentId, amountMinor, currency } = succeeded;
	await answer(changing, succeeded, async (subscription, operation, { tx, moment }) => {
		const payment = { id: paymentId, operationId, amountMinor, currency, receivedAt: moment.now };
		if (!(await recordPayment(tx, { tenantId, payment }))) return subscription;
		return settlePayment(subscription, { operation, paymentId, amountMinor, currency }, moment);
	});
	await settleWaiting(changing, { ...succeeded, settle: receiveReturn });
}

/** Records a failed attempt. */
export async function receiveFailure(changing: ChangeParts, failed: Failed): Promise<void> {
	const { attempt, reason } = failed;
	await answer(changing, failed, async (subscription, operation, { moment }) =>
		settleFailure(subscription, { operation, attempt, reason }, moment),
	);
}

type Current = Parameters<Work<undefined>>[0];
type At = Parameters<Work<undefined>>[1];

async function answer(
	changing: ChangeParts,
	{ tenantId, operationId, correlationId }: ReceivedAnswer,
	settle: (subscription: Current, operation: Operation, at: At) => Promise<Current>,
): Promise<void> {
	try {
		await changeSubscription(changing, { tenantId, operationId, correlationId }, async (subscription, at) => {
			const operation = subscription.operations.find(({ id }) => id === operationId);
			const settled = operation === undefined ? subscription : await settle(subscription, operation, at);
			return { subscription: settled, announcements: [], result: undefined };
		});
	} catch (error) {
		// A tenant without a subscription has no operations here: the payment is for another service.
		if (!(error instanceof Failure && error.code === "no_subscription")) throw error;
	}
}
