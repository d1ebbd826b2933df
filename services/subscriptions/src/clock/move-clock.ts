import { type Database, inTenant } from "@lango/postgres";
import { receiveFailure, receivePayment } from "../billing/receive-payment.ts";
import type { SandboxAnswer } from "../billing/sandbox.store.ts";
import { answerFor, sandboxPaymentId, sandboxReason } from "../billing/sandbox.ts";
import { failures } from "../failures.ts";
import { billOverage } from "../overage/bill-overage.ts";
import { receiveBillFailure, receiveBillPayment } from "../overage/bill-payment.ts";
import { type ChangeParts, changeLocked } from "../record/change-subscription.ts";
import { nextBillingAt } from "../record/next-billing.ts";
import { listOperations } from "../record/operation.store.ts";
import { lockSubscription } from "../record/subscription.store.ts";
import { timeFor } from "../record/tenant-time.ts";
import { setTestClock } from "../record/test-clock.store.ts";
import { nextDueAt } from "../rules/lifecycle/due.ts";
import { type FullSubscription, openOperationOf } from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";

/** `sandboxAnswer`: the default answer; undefined: no sandbox. */
export type ClockParts = ChangeParts & { sandboxAnswer: SandboxAnswer | undefined };

/** Bounds the loop; a clock moved by years has far fewer steps. */
const stepsMax = 2_000;

/**
 * Moves a tenant's clock forward and applies what falls due on the way in order, each step at its own time.
 * Each payment request is answered before the next step: the sandbox's answer is applied at once, and its
 * event has no further effect. The clock then stays until it is moved again. `note` runs in the first
 * transaction, before anything moves. Throws `clock_goes_forward`.
 */
export async function moveClock(
	moving: ClockParts,
	{ tenantId, to, note }: { tenantId: string; to: Date; note: (tx: Database) => Promise<void> },
): Promise<void> {
	const from = await timeFor(moving.db, tenantId, moving.clock);
	if (to < from) throw failures.clock_goes_forward({ fields: { now: from.toISOString() } });
	for (let step = 0; step < stepsMax; step += 1) {
		const { reachedAt, requested } = await takeStep(moving, { tenantId, to, ...(step === 0 && { note }) });
		for (const one of requested) await answerRequest(moving, { tenantId, requested: one });
		if (reachedAt >= to) return;
	}
	throw new Error(`more than ${stepsMax} things fell due before ${to.toISOString()}`);
}

/** A requested payment: of an operation, or of an overage bill. */
type RequestedPayment = Pick<Operation, "id" | "attempt" | "amountMinor" | "currency">;
type Step = { reachedAt: Date; requested: readonly RequestedPayment[] };

/** Moves to the next due step, or to the end. The first step applies what is due before the clock moves. */
async function takeStep(
	moving: ClockParts,
	{ tenantId, to, note }: { tenantId: string; to: Date; note?: (tx: Database) => Promise<void> },
): Promise<Step> {
	return inTenant(moving.db, tenantId, async (tx) => {
		const locked = await lockSubscription(tx, { tenantId });
		const from = await timeFor(tx, tenantId, moving.clock);
		await note?.(tx);
		if (locked === undefined) {
			await setTestClock(tx, { tenantId, now: to });
			return { reachedAt: to, requested: [] };
		}
		if (note !== undefined)
			return { reachedAt: from, requested: await settleAt(moving, { tx, locked, now: from }) };
		const subscription = { ...locked, operations: await listOperations(tx, { tenantId }) };
		const now = earliest([to, nextDueAt(subscription), await nextBillingAt(tx, subscription, from)]);
		return { reachedAt: now, requested: await settleAt(moving, { tx, locked, now }) };
	});
}

const earliest = (dates: ReadonlyArray<Date | null>) =>
	new Date(Math.min(...dates.filter((date) => date !== null).map((date) => date.getTime())));

type Stop = { tx: Database; locked: Omit<FullSubscription, "operations">; now: Date };

/** Sets the clock, applies what is due, and returns the new payment requests. */
async function settleAt(moving: ClockParts, { tx, locked, now }: Stop): Promise<readonly RequestedPayment[]> {
	const { tenantId } = locked;
	await setTestClock(tx, { tenantId, now });
	const [before] = await listOperations(tx, { tenantId });
	const { subscription, result: bills } = await changeLocked(
		moving,
		{ tenantId, tx, locked, now },
		billOverage,
	);
	const open = openOperationOf(subscription);
	const isNewRequest = open !== undefined && (open.id !== before?.id || open.attempt !== before.attempt);
	return isNewRequest ? [open, ...bills] : bills;
}

async function answerRequest(
	moving: ClockParts,
	{ tenantId, requested }: { tenantId: string; requested: RequestedPayment },
): Promise<void> {
	if (moving.sandboxAnswer === undefined) return;
	const answer = await answerFor(moving.db, { tenantId, sandboxAnswer: moving.sandboxAnswer });
	const { id: operationId, attempt, amountMinor, currency } = requested;
	if (answer === "pays") {
		const paid = { tenantId, operationId, paymentId: sandboxPaymentId(operationId), amountMinor, currency };
		await receivePayment(moving, paid);
		await receiveBillPayment(moving, paid);
	}
	if (answer === "refuses") {
		const failed = { tenantId, operationId, attempt, reason: sandboxReason };
		await receiveFailure(moving, failed);
		await receiveBillFailure(moving.db, failed);
	}
}
