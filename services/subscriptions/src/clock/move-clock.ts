import { inTenant } from "@lango/postgres";
import { listOperations } from "../billing/operation.store.ts";
import type { Operation } from "../billing/operation.ts";
import { receiveFailure, receivePayment } from "../billing/receive-payment.ts";
import type { SandboxAnswer } from "../billing/sandbox.store.ts";
import { answerFor, sandboxPaymentId, sandboxReason } from "../billing/sandbox.ts";
import { failures } from "../failures.ts";
import { type Changing, changeLocked } from "../subscriptions/change-subscription.ts";
import { nextDueAt } from "../subscriptions/due.ts";
import { lockSubscription } from "../subscriptions/held.store.ts";
import { openOperationOf } from "../subscriptions/held-subscription.ts";
import { timeFor } from "./tenant-time.ts";
import { setTestClock } from "./test-clock.store.ts";

/** `usual`: how payments turn out where nothing was set for the tenant; undefined: somebody else answers. */
export type ClockMoving = Changing & { usual: SandboxAnswer | undefined };

/** Far more than fall due in the years a clock is moved by at once. */
const stepsMax = 2_000;

/**
 * Moves one tenant's time forward, and lets what falls due on the way happen in order, each at its own time and paid, or
 * not, before the next: what the sandbox answers is counted at once, and its event, when it comes, changes nothing more.
 * From then on the tenant's clock stands still until it is moved again. Throws `clock_goes_forward`.
 */
export async function moveClock(
	moving: ClockMoving,
	{ tenantId, to }: { tenantId: string; to: Date },
): Promise<void> {
	const from = await timeFor(moving.db, tenantId, moving.clock);
	if (to < from) throw failures.clock_goes_forward({ fields: { now: from.toISOString() } });
	for (let step = 0; step < stepsMax; step += 1) {
		const { reachedAt, asked } = await takeStep(moving, { tenantId, to });
		if (asked !== undefined) await settleAsked(moving, { tenantId, operation: asked });
		if (reachedAt >= to) return;
	}
	throw new Error(`more than ${stepsMax} things fell due before ${to.toISOString()}`);
}

type Step = { reachedAt: Date; asked: Operation | undefined };

/** To the next thing that falls due, or to the end. */
async function takeStep(
	moving: ClockMoving,
	{ tenantId, to }: { tenantId: string; to: Date },
): Promise<Step> {
	return inTenant(moving.db, tenantId, async (tx) => {
		const locked = await lockSubscription(tx, { tenantId });
		const from = await timeFor(tx, tenantId, moving.clock);
		if (locked === undefined) {
			await setTestClock(tx, { tenantId, now: to });
			return { reachedAt: to, asked: undefined };
		}
		const [before] = await listOperations(tx, { tenantId });
		const { held } = await changeLocked(moving, { tenantId, tx, locked, now: from }, nothing);
		const dueAt = nextDueAt(held) ?? to;
		const now = dueAt < to ? dueAt : to;
		await setTestClock(tx, { tenantId, now });
		const { operations: _, ...rest } = held;
		const reached = await changeLocked(
			moving,
			{ tenantId, tx, locked: { ...rest, closedLines: [] }, now },
			nothing,
		);
		const open = openOperationOf(reached.held);
		const isAskedAnew = open !== undefined && (open.id !== before?.id || open.attempt !== before.attempt);
		return { reachedAt: now, asked: isAskedAnew ? open : undefined };
	});
}

const nothing = async <H>(held: H) => ({ held, tells: [], result: undefined });

async function settleAsked(
	moving: ClockMoving,
	{ tenantId, operation }: { tenantId: string; operation: Operation },
): Promise<void> {
	if (moving.usual === undefined) return;
	const answer = await answerFor(moving.db, { tenantId, usual: moving.usual });
	const { id: operationId, amountMinor, currency } = operation;
	if (answer === "pays") {
		const paymentId = sandboxPaymentId(operationId);
		await receivePayment(moving, { tenantId, operationId, paymentId, amountMinor, currency });
	}
	if (answer === "refuses") await receiveFailure(moving, { tenantId, operationId, reason: sandboxReason });
}
