import { recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { listWithdrawn } from "../rules/lifecycle/closing.ts";
import { nextDueAt, settleDue, stateKey } from "../rules/lifecycle/due.ts";
import { listOutcomes, type Outcome } from "../rules/lifecycle/outcomes.ts";
import { stateAt } from "../rules/lifecycle/state.ts";
import {
	type Announcement,
	type Change,
	type FullSubscription,
	type Moment,
	openOperationOf,
} from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";
import type { AddOnVersion } from "../rules/terms/plan.ts";
import { announceChange } from "./announce.ts";
import { listOperations, writeOperation } from "./operation.store.ts";
import { recordPastTerms } from "./past-terms.store.ts";
import { scheduleSettlement } from "./schedule-settlement.ts";
import {
	addSubscription,
	lockSubscription,
	writeAddOns,
	writeLine,
	writeSubscription,
} from "./subscription.store.ts";
import { type Clock, timeFor } from "./tenant-time.ts";

/** The dependencies of a change. */
export type ChangeParts = { db: Database; clock: Clock; mint: () => string };
export type Changed<R> = { subscription: FullSubscription; now: Date; result: R };
export type Work<R> = (
	subscription: FullSubscription,
	/** `version` is the version before the work, after the due steps. */
	at: { tx: Database; moment: Moment; version: number },
) => Promise<Change & { result: R }>;

type Which = {
	tenantId: string;
	/** A settled operation to load as well. */
	operationId?: string;
	correlationId?: string | undefined;
};

/**
 * Changes a tenant's subscription in one transaction: locks it, applies the due steps, runs the work, writes
 * the result, records the events and schedules the next settlement. Concurrent changes are serialized, so
 * that the later one sees the earlier one. Throws `no_subscription`, and what the work throws.
 */
export async function changeSubscription<R>(
	changing: ChangeParts,
	which: Which,
	work: Work<R>,
): Promise<Changed<R>> {
	return inTenant(changing.db, which.tenantId, async (tx) => {
		const locked = await lockSubscription(tx, which);
		if (locked === undefined) throw failures.no_subscription();
		// Read after the lock: the previous holder may have settled at a later time than this call began.
		const now = await timeFor(tx, which.tenantId, changing.clock);
		return changeLocked(changing, { ...which, tx, locked, now }, work);
	});
}

type Locked = Which & { tx: Database; locked: Omit<FullSubscription, "operations">; now: Date };

/** The same for a subscription that is already locked, at a given time. */
export async function changeLocked<R>(
	{ mint, clock }: ChangeParts,
	{ tx, locked, now, tenantId, operationId, correlationId }: Locked,
	work: Work<R>,
): Promise<Changed<R>> {
	const moment = { now, mint };
	const before = { ...locked, operations: await listOperations(tx, { tenantId, id: operationId }) };
	const due = settleDue(before, moment);
	const version = before.version + (fingerprintOf(due.subscription) === fingerprintOf(before) ? 0 : 1);
	const {
		subscription: worked,
		announcements,
		result,
	} = await work(due.subscription, { tx, moment, version });
	const after = settleDue(worked, moment);
	const settled = { ...after.subscription, announcedState: stateKey(stateAt(after.subscription, now)) };
	const hasChanged = fingerprintOf(settled) !== fingerprintOf(before);
	const subscription = { ...settled, version: before.version + (hasChanged ? 1 : 0) };
	await write(tx, { subscription, before });
	await recordPastTerms(tx, { subscription, before, now });
	await scheduleSettlement(tx, subscription, now);
	const happened = [...due.announcements, ...announcements, ...after.announcements];
	await recordOutcomes(tx, listOutcomes(before, { due: due.subscription, after: subscription }, happened), {
		...{ tenantId, correlationId, at: now },
	});
	await announceChange(tx, subscription, {
		announcements: [
			...listWithdrawn(before, subscription),
			...happened.filter((announcement) => isStillRequested(subscription, announcement)),
		],
		hasChanged,
		now,
		correlationId,
		announcedAt: clock.now(),
	});
	return { subscription, now, result };
}

type OutcomeOrigin = { tenantId: string; correlationId: string | undefined; at: Date };

/** Records in the audit log what no person did. */
async function recordOutcomes(
	tx: Database,
	outcomes: readonly Outcome[],
	{ tenantId, correlationId, at }: OutcomeOrigin,
): Promise<void> {
	const actor = { kind: "system", id: "subscriptions" } as const;
	const origin = { tenantId, at, actor, ...(correlationId && { requestId: correlationId }) };
	for (const outcome of outcomes) await recordAudit(tx, { ...origin, ...outcome });
}

/**
 * Whether an announcement still applies. A payment request that was replaced, settled or repeated in the same
 * transaction is not published.
 */
function isStillRequested({ operations }: FullSubscription, announcement: Announcement): boolean {
	if (announcement.what !== "billing_requested") return true;
	const { id, attempt } = announcement.operation;
	return operations.some((one) => one.id === id && one.attempt === attempt && one.status === "requested");
}

/**
 * Writes and announces a tenant's first subscription; throws `subscription_changed` if a concurrent request
 * was first.
 */
export async function beginSubscription(
	{ clock }: ChangeParts,
	{
		tx,
		subscription: initial,
		now,
		correlationId,
	}: { tx: Database; subscription: FullSubscription; now: Date; correlationId: string },
): Promise<FullSubscription> {
	const subscription = { ...initial, version: 1 };
	if (!(await addSubscription(tx, { subscription, nextDueAt: nextDueAt(subscription) })))
		throw failures.subscription_changed();
	await scheduleSettlement(tx, subscription, now);
	await announceChange(tx, subscription, {
		announcements: [],
		hasChanged: true,
		now,
		correlationId,
		announcedAt: clock.now(),
	});
	return subscription;
}

/**
 * Writes settled operations before a new one is opened, and paid lines before the subscription references
 * them.
 */
async function write(
	tx: Database,
	{ subscription, before }: { subscription: FullSubscription; before: FullSubscription },
): Promise<void> {
	const { tenantId, operations, closedLines, line } = subscription;
	const changed = operations.filter((operation) => !before.operations.includes(operation));
	const settledFirst = changed.toSorted((one, other) => Number(isOpen(one)) - Number(isOpen(other)));
	for (const operation of settledFirst) await writeOperation(tx, { tenantId, operation });
	for (const one of line === null ? closedLines : [...closedLines, line])
		await writeLine(tx, { tenantId, line: one });
	if (idsOf(subscription.addOns) !== idsOf(before.addOns)) await writeAddOns(tx, subscription);
	await writeSubscription(tx, { subscription, nextDueAt: nextDueAt(subscription) });
}

const idsOf = (addOns: readonly AddOnVersion[] | null) => addOns?.map(({ id }) => id).join();
const isOpen = ({ status }: Operation) => status === "requested";

/** Raises the version when it changes: everything stored except the number of payment requests. */
function fingerprintOf(subscription: FullSubscription): string {
	const {
		operations: _,
		closedLines,
		renewalAttempts,
		isTrialEndingAnnounced,
		line,
		plan,
		pending,
		addOns,
		...rest
	} = subscription;
	return JSON.stringify({
		...rest,
		balanceMinor: String(subscription.balanceMinor),
		plan: plan.id,
		addOns: idsOf(addOns),
		pending: pending && [pending.plan.id, idsOf(pending.addOns), pending.from],
		line: line?.id,
		open: openOperationOf(subscription)?.id,
	});
}
