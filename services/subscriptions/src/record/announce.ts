import {
	subscriptionBillingRequested,
	subscriptionBillingWithdrawn,
	subscriptionEntitlementsChanged,
	subscriptionExpired,
	subscriptionGraceEnded,
	subscriptionOverageUnpaid,
	subscriptionTrialEnding,
} from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { type OverageBill, unpaidAt } from "../rules/lifecycle/overage-bill.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import type { Announcement, FullSubscription } from "../rules/lifecycle/subscription.ts";
import { recordTenantEvent } from "./record-tenant-event.ts";

type Announcing = {
	announcements: readonly Announcement[];
	hasChanged: boolean;
	/** The tenant's time. */
	now: Date;
	/** The system time at which the events are written. */
	announcedAt: Date;
	correlationId: string | undefined;
};

/**
 * Writes the events of a change in its transaction: what happened, what is to be paid, and last the new
 * snapshot.
 */
export async function announceChange(
	tx: Database,
	subscription: FullSubscription,
	{ announcements, hasChanged, now, announcedAt, correlationId }: Announcing,
): Promise<void> {
	const about = { tenantId: subscription.tenantId, correlationId, now: announcedAt };
	for (const announcement of announcements) await announce(tx, subscription, { announcement, about });
	if (hasChanged)
		await recordTenantEvent(tx, subscriptionEntitlementsChanged, {
			...about,
			subject: subscription.tenantId,
			data: snapshotAt(subscription, now),
		});
}

type About = { tenantId: string; correlationId: string | undefined; now: Date };

async function announce(
	tx: Database,
	subscription: FullSubscription,
	{ announcement, about }: { announcement: Announcement; about: About },
): Promise<void> {
	const { tenantId, version } = subscription;
	const common = { tenant_id: tenantId, plan: subscription.plan.code, version };
	const ofTenant = { ...about, subject: tenantId };
	switch (announcement.what) {
		case "trial_ending":
			await recordTenantEvent(tx, subscriptionTrialEnding, {
				...ofTenant,
				data: { ...common, trial_end: announcement.trialEndsAt.toISOString() },
			});
			return;
		case "expired":
			await recordTenantEvent(tx, subscriptionExpired, {
				...ofTenant,
				data: {
					...common,
					because: announcement.because,
					expired_at: announcement.expiredAt.toISOString(),
					grace_until: announcement.graceUntil.toISOString(),
				},
			});
			return;
		case "grace_ended":
			await recordTenantEvent(tx, subscriptionGraceEnded, {
				...ofTenant,
				data: { ...common, ended_at: announcement.endedAt.toISOString() },
			});
			return;
		case "billing_requested":
			await recordTenantEvent(tx, subscriptionBillingRequested, {
				...about,
				subject: announcement.operation.id,
				data: billingOf(tenantId, announcement.operation),
			});
			return;
		case "billing_withdrawn":
			await recordTenantEvent(tx, subscriptionBillingWithdrawn, {
				...about,
				subject: announcement.operationId,
				data: {
					operation_id: announcement.operationId,
					tenant_id: tenantId,
					because: announcement.because,
				},
			});
			return;
		case "overage_billed":
			await recordTenantEvent(tx, subscriptionBillingRequested, {
				...about,
				subject: announcement.bill.id,
				data: overageOf(announcement.bill),
			});
			return;
		case "overage_unpaid":
			await recordTenantEvent(tx, subscriptionOverageUnpaid, {
				...about,
				subject: announcement.bill.id,
				data: unpaidOf(announcement.bill),
			});
	}
}

type BillingAnnouncement = Extract<Announcement, { what: "billing_requested" }>["operation"];

function billingOf(
	tenantId: string,
	{ id, kind, attempt, amountMinor, currency, lines, endsAt }: BillingAnnouncement,
) {
	return {
		operation_id: id,
		tenant_id: tenantId,
		kind,
		attempt,
		amount_minor: Number(amountMinor),
		currency,
		lines: lines.map(({ what, code, amountMinor: minor }) => ({ what, code, amount_minor: Number(minor) })),
		...(endsAt !== null && { expires_at: endsAt.toISOString() }),
	};
}

function unpaidOf({ id, tenantId, attempt, amountMinor, currency, periodEndsAt, failure }: OverageBill) {
	return {
		operation_id: id,
		tenant_id: tenantId,
		attempt,
		amount_minor: Number(amountMinor),
		currency,
		period_ends_at: periodEndsAt.toISOString(),
		failure,
	};
}

/** One line per metric and price; the credit used is the last line. */
function overageOf(bill: OverageBill) {
	const { id, tenantId, attempt, amountMinor, currency, lines, balanceMinor } = bill;
	const balance = { what: "balance" as const, code: "balance", amount_minor: -Number(balanceMinor) };
	return {
		operation_id: id,
		tenant_id: tenantId,
		kind: "overage" as const,
		attempt,
		amount_minor: Number(amountMinor),
		currency,
		lines: [
			...lines.map((line) => ({
				what: "overage" as const,
				code: line.metric,
				amount_minor: Number(line.amountMinor),
			})),
			...(balanceMinor === 0n ? [] : [balance]),
		],
		expires_at: unpaidAt(bill).toISOString(),
	};
}
