import { Failure } from "@lango/chassis";
import { treasuryIntentChanged } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { type ChangeParts, changeSubscription } from "../record/change-subscription.ts";
import { findPaidUntil, findWaitingReturn, recordReturned } from "../record/returned.store.ts";
import { settleReturn } from "../rules/lifecycle/settle-return.ts";
import type { EnvelopeOf } from "./event-envelope.ts";

/** What was returned of the payment of an operation, in all. */
export type ReturnReport = {
	tenantId: string;
	operationId: string;
	returnedMinor: bigint;
	correlationId: string | undefined;
};

/**
 * Reads what an event says was returned of a payment that this service asked for; undefined: nothing of its
 * payments.
 */
export function readReturn({
	data,
	correlationid,
}: EnvelopeOf<typeof treasuryIntentChanged>): ReturnReport | undefined {
	if (data.source_service !== "subscriptions" || data.operation_id === null) return undefined;
	if (data.refunded_minor === 0) return undefined;
	return {
		...{ tenantId: data.tenant_id, operationId: data.operation_id, correlationId: correlationid },
		returnedMinor: BigInt(data.refunded_minor),
	};
}

/** Consumer of refunds and lost disputes of operations: the treasury says what was returned in all. */
export const returnConsumers = (changing: Omit<ChangeParts, "db">): readonly Consumer[] => [
	defineConsumer(treasuryIntentChanged, async (db, event) => {
		const report = readReturn(event);
		if (report !== undefined) await receiveReturn({ ...changing, db }, report);
	}),
];

type Waiting = Pick<ReturnReport, "tenantId" | "operationId"> & {
	correlationId?: string | undefined;
	settle: (changing: ChangeParts, report: ReturnReport) => Promise<void>;
};

/** Settles what was returned of a payment before it was received. Call it once the payment is recorded. */
export async function settleWaiting(changing: ChangeParts, waiting: Waiting): Promise<void> {
	const { tenantId, operationId, correlationId, settle } = waiting;
	const returnedMinor = await inTenant(changing.db, tenantId, (tx) => findWaitingReturn(tx, waiting));
	if (returnedMinor !== undefined)
		await settle(changing, { tenantId, operationId, correlationId, returnedMinor });
}

/**
 * Takes what was returned off the credit and the period that it paid for, once. Of a payment that is not
 * received yet it waits.
 */
export async function receiveReturn(changing: ChangeParts, report: ReturnReport): Promise<void> {
	const { tenantId, operationId, returnedMinor, correlationId } = report;
	try {
		await changeSubscription(
			changing,
			{ tenantId, operationId, correlationId },
			async (subscription, { tx, moment }) => {
				const unchanged = { subscription, announcements: [], result: undefined };
				const operation = subscription.operations.find(({ id }) => id === operationId);
				if (operation === undefined) return unchanged;
				const { now } = moment;
				const amountMinor = await recordReturned(tx, { tenantId, operationId, returnedMinor, now });
				if (amountMinor === 0n) return unchanged;
				const returned = {
					...{ operation, amountMinor, isWhole: returnedMinor >= operation.amountMinor },
					paidUntil: await findPaidUntil(tx, { tenantId, operationId }),
				};
				return { ...unchanged, subscription: settleReturn(subscription, returned, moment) };
			},
		);
	} catch (error) {
		// A tenant without a subscription has no operations here.
		if (!(error instanceof Failure && error.code === "no_subscription")) throw error;
	}
}
