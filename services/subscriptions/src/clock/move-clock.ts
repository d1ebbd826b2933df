import { type Database, inTenant } from "@lango/postgres";
import { receiveFailure, receivePayment } from "../billing/receive-payment.ts";
import type { SandboxAnswer } from "../billing/sandbox.store.ts";
import { answerFor, sandboxPaymentId, sandboxReason } from "../billing/sandbox.ts";
import { failures } from "../failures.ts";
import { billOverage } from "../overage/bill-overage.ts";
import { receiveBillFailure, receiveBillPayment } from "../overage/bill-payment.ts";
import { type Changing, changeLocked } from "../record/change-subscription.ts";
import { nextBillingAt } from "../record/next-billing.ts";
import { listOperations } from "../record/operation.store.ts";
import { lockSubscription } from "../record/subscription.store.ts";
import { timeFor } from "../record/tenant-time.ts";
import { setTestClock } from "../record/test-clock.store.ts";
import { nextDueAt } from "../rules/lifecycle/due.ts";
import { type HeldSubscription, openOperationOf } from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";

/** `usual`: how payments turn out where nothing was set for the tenant; undefined: somebody else answers. */
export type ClockMoving = Changing & { usual: SandboxAnswer | undefined };

/** Far more than fall due in the years a clock is moved by at once. */
const stepsMax = 2_000;

/**
 * Moves one tenant's time forward, and lets what falls due on the way happen in order, each at its own time and paid, or
 * not, before the next: what the sandbox answers is counted at once, and its event, when it comes, changes nothing more.
 * From then on the tenant's clock stands still until it is moved again. `note` is written in the first transaction, before
 * anything is moved. Throws `clock_goes_forward`.
 */
export async function moveClock(
	moving: ClockMoving,
	{ tenantId, to, note }: { tenantId: string; to: Date; note: (tx: Database) => Promise<void> },
): Promise<void> {
	const from = await timeFor(moving.db, tenantId, moving.clock);
	if (to < from) throw failures.clock_goes_forward({ fields: { now: from.toISOString() } });
	for (let step = 0; step < stepsMax; step += 1) {
		const { reachedAt, asked } = await takeStep(moving, { tenantId, to, ...(step === 0 && { note }) });
		for (const one of asked) await settleAsked(moving, { tenantId, asked: one });
		if (reachedAt >= to) return;
	}
	throw new Error(`more than ${stepsMax} things fell due before ${to.toISOString()}`);
}

/** What the treasury is asked for on the way: an operation, or a bill for overage. */
type Asked = Pick<Operation, "id" | "attempt" | "amountMinor" | "currency">;
type Step = { reachedAt: Date; asked: readonly Asked[] };

/** To the next thing that falls due, or to the end; the first step lets happen what is due before the clock is moved. */
async function takeStep(
	moving: ClockMoving,
	{ tenantId, to, note }: { tenantId: string; to: Date; note?: (tx: Database) => Promise<void> },
): Promise<Step> {
	return inTenant(moving.db, tenantId, async (tx) => {
		const locked = await lockSubscription(tx, { tenantId });
		const from = await timeFor(tx, tenantId, moving.clock);
		await note?.(tx);
		if (locked === undefined) {
			await setTestClock(tx, { tenantId, now: to });
			return { reachedAt: to, asked: [] };
		}
		if (note !== undefined)
			return { reachedAt: from, asked: await settleAt(moving, { tx, locked, now: from }) };
		const held = { ...locked, operations: await listOperations(tx, { tenantId }) };
		const now = earliest([to, nextDueAt(held), await nextBillingAt(tx, held, from)]);
		return { reachedAt: now, asked: await settleAt(moving, { tx, locked, now }) };
	});
}

const earliest = (dates: ReadonlyArray<Date | null>) =>
	new Date(Math.min(...dates.filter((date) => date !== null).map((date) => date.getTime())));

type Stop = { tx: Database; locked: Omit<HeldSubscription, "operations">; now: Date };

/** Sets the clock, lets happen what is due by then, and answers what is asked for with it. */
async function settleAt(moving: ClockMoving, { tx, locked, now }: Stop): Promise<readonly Asked[]> {
	const { tenantId } = locked;
	await setTestClock(tx, { tenantId, now });
	const [before] = await listOperations(tx, { tenantId });
	const { held, result: bills } = await changeLocked(moving, { tenantId, tx, locked, now }, billOverage);
	const open = openOperationOf(held);
	const isAskedAnew = open !== undefined && (open.id !== before?.id || open.attempt !== before.attempt);
	return isAskedAnew ? [open, ...bills] : bills;
}

async function settleAsked(
	moving: ClockMoving,
	{ tenantId, asked }: { tenantId: string; asked: Asked },
): Promise<void> {
	if (moving.usual === undefined) return;
	const answer = await answerFor(moving.db, { tenantId, usual: moving.usual });
	const { id: operationId, attempt, amountMinor, currency } = asked;
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
