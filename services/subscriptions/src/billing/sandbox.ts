import { createHash } from "node:crypto";
import {
	notificationsBillingRequested,
	subscriptionBillingRequested,
	treasuryPaymentFailed,
	treasuryPaymentSucceeded,
} from "@lango/contracts";
import { type Consumer, defineConsumer, recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { EnvelopeOf } from "./event-envelope.ts";
import { findSandboxAnswer, type SandboxAnswer } from "./sandbox.store.ts";

export type Sandbox = {
	/** The answer for tenants without one of their own. */
	answer: SandboxAnswer;
	now: () => Date;
};

/** A substitute for the treasury that uses the same events: it pays, refuses or does not answer. */
export function sandboxConsumers({ answer: sandboxAnswer, now }: Sandbox): readonly Consumer[] {
	const answerTo = async (tx: Database, { data, correlationid, tenantslug }: Requested): Promise<void> => {
		const { operation_id, tenant_id, attempt, amount_minor, currency } = data;
		const answer = await answerFor(tx, { tenantId: tenant_id, sandboxAnswer });
		const about = {
			...{ subject: operation_id, tenantId: tenant_id, now: now() },
			...{ tenantSlug: tenantslug, correlationId: correlationid },
		};
		const operation = { operation_id, tenant_id };
		const [payment_id, paid_at] = [sandboxPaymentId(operation_id), now().toISOString()];
		if (answer === "pays")
			await recordEvent(tx, treasuryPaymentSucceeded, {
				...{ ...about, data: { ...operation, payment_id, amount_minor, currency, paid_at } },
			});
		if (answer === "refuses")
			await recordEvent(tx, treasuryPaymentFailed, {
				...{ ...about, data: { ...operation, attempt, reason: sandboxReason } },
			});
	};
	return [
		defineConsumer(subscriptionBillingRequested, answerTo),
		defineConsumer(notificationsBillingRequested, answerTo),
	];
}

type Requested =
	| EnvelopeOf<typeof subscriptionBillingRequested>
	| EnvelopeOf<typeof notificationsBillingRequested>;

export const sandboxReason = "refused_by_sandbox";

/** The sandbox's answer to this tenant. */
export async function answerFor(
	db: Database,
	{ tenantId, sandboxAnswer }: { tenantId: string; sandboxAnswer: SandboxAnswer },
): Promise<SandboxAnswer> {
	return (await findSandboxAnswer(db, tenantId)) ?? sandboxAnswer;
}

/**
 * Derives the payment id from the operation, so that an operation is paid by one payment however often it is
 * requested.
 */
export function sandboxPaymentId(operationId: string): string {
	const hex = createHash("sha256").update(`payment of ${operationId}`).digest("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
