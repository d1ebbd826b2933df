import { defineJob, defineRecoveryScan, defineSchedule, tenantIdOf } from "@lango/jobs";
import { isHalted } from "../halts/is-halted.ts";
import type { Treasury } from "../treasury.ts";
import { stopUnusedOrder } from "./methods/change-billing-method.ts";
import { stopUnused } from "./methods/follow-by-card.ts";
import { followSubscription } from "./methods/follow-subscription.ts";
import { promptRenewal } from "./prompt-renewal.ts";
import { asksAtMostMs } from "./renewal-step.ts";
import { requireLater } from "./require-payment.ts";
import { listUnansweredBills, listUnrequiredBills } from "./unanswered-bill.store.ts";
import { listUnusedOrders, listUnusedSubscriptions } from "./unused.store.ts";
import { removeWithdrawn } from "./withdrawn.store.ts";

/**
 * Asks phones to pay renewals and overages. An error uses up no retry: the asking ends after 20 hours, and
 * has to be answered.
 */
export const promptRenewals = defineJob<Treasury>({
	name: "renewals.prompt",
	timeoutSeconds: 40,
	work: (domain, job) => promptRenewal(domain, tenantIdOf(job), job.id),
	postpones: () => true,
});

const overdueMs = 5 * 60_000;

/** Finds askings that are over and not answered, as their job was lost. */
export const recoverRenewals = defineRecoveryScan<Treasury>({
	job: promptRenewals,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listUnansweredBills(db, { before: new Date(now.getTime() - asksAtMostMs - overdueMs), after, limit }),
});

/** Publishes bills that somebody has to pay, and that were not published as their tenant was suspended. */
export const requirePayments = defineJob<Treasury>({
	name: "bills.require",
	work: (domain, job) => requireLater(domain, tenantIdOf(job), job.id),
});

/** Finds them within a minute after the tenant is active again. */
export const findUnrequiredBills = defineRecoveryScan<Treasury>({
	job: requirePayments,
	everySeconds: 60,
	find: ({ db }, { after, limit }) => listUnrequiredBills(db, { after, limit }),
});

/** Compares what pays a tenant's renewals by itself with its plan. The id is the tenant's. */
export const followSubscriptions = defineJob<Treasury>({
	name: "billing-methods.follow",
	retries: 12,
	retryDelaySeconds: 10,
	retryDelayMaxSeconds: 3_600,
	work: (domain, job) => followSubscription(domain, tenantIdOf(job)),
	postpones: isHalted,
});

/** Stops a card subscription that the billing method does not name any more, or whose card was deleted. */
export const stopCardSubscriptions = defineJob<Treasury>({
	name: "card-subscriptions.stop",
	retries: 12,
	retryDelaySeconds: 10,
	retryDelayMaxSeconds: 3_600,
	work: (domain, job) => stopUnused(domain, tenantIdOf(job), job.id),
});

/** A subscription or standing order is made before it becomes the billing method. */
const unusedMs = 10 * 60_000;

/**
 * Finds card subscriptions that no billing method names, as their method was changed, or never stored, and
 * those whose person or tenant was deleted.
 */
export const findUnusedSubscriptions = defineRecoveryScan<Treasury>({
	job: stopCardSubscriptions,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listUnusedSubscriptions(db, { before: new Date(now.getTime() - unusedMs), after, limit }),
});

/** Stops a standing order that pays the tenant's bills and that its billing method does not name. */
export const stopStandingOrders = defineJob<Treasury>({
	name: "standing-orders.stop",
	work: (domain, job) => stopUnusedOrder(domain, tenantIdOf(job), job.id),
});

/** Finds them: their method was never stored, or gave way when two ids of a tenant were merged. */
export const findUnusedOrders = defineRecoveryScan<Treasury>({
	job: stopStandingOrders,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listUnusedOrders(db, { before: new Date(now.getTime() - unusedMs), after, limit }),
});

const withdrawnKeptMs = 90 * 24 * 3_600_000;
const removedAtOnce = 5_000;

/** Removes withdrawn operations after 90 days: no service asks for them again. */
export const purgeWithdrawn = defineSchedule<Treasury>({
	name: "withdrawn.purge",
	everySeconds: 86_400,
	work: async ({ db }, { now, signal }) => {
		const before = new Date(now().getTime() - withdrawnKeptMs);
		while (
			!signal.aborted &&
			(await removeWithdrawn(db, { before, limit: removedAtOnce })) === removedAtOnce
		);
	},
});
