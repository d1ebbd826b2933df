import {
	subscriptionBillingRequested,
	subscriptionEntitlementsChanged,
	subscriptionExpired,
	subscriptionGraceEnded,
	subscriptionOverageUnpaid,
	subscriptionTrialEnding,
} from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { OverageBill } from "../rules/lifecycle/overage-bill.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import type { HeldSubscription, Tell } from "../rules/lifecycle/subscription.ts";
import { recordTenantEvent } from "./record-tenant-event.ts";

type Announcing = {
	tells: readonly Tell[];
	hasChanged: boolean;
	/** The time it is for the tenant. */
	now: Date;
	/** The time it is for everybody, when the events are written. */
	toldAt: Date;
	correlationId: string | undefined;
};

/** Writes the events of a change, in its transaction: what happened, what is to be paid, and last how it all stands now. */
export async function announceChange(
	tx: Database,
	held: HeldSubscription,
	{ tells, hasChanged, now, toldAt, correlationId }: Announcing,
): Promise<void> {
	const about = { tenantId: held.tenantId, correlationId, now: toldAt };
	for (const tell of tells) await announce(tx, held, { tell, about });
	if (hasChanged)
		await recordTenantEvent(tx, subscriptionEntitlementsChanged, {
			...about,
			subject: held.tenantId,
			data: snapshotAt(held, now),
		});
}

type About = { tenantId: string; correlationId: string | undefined; now: Date };

async function announce(
	tx: Database,
	held: HeldSubscription,
	{ tell, about }: { tell: Tell; about: About },
): Promise<void> {
	const { tenantId, version } = held;
	const common = { tenant_id: tenantId, plan: held.plan.code, version };
	const ofTenant = { ...about, subject: tenantId };
	switch (tell.what) {
		case "trial_ending":
			await recordTenantEvent(tx, subscriptionTrialEnding, {
				...ofTenant,
				data: { ...common, trial_end: tell.trialEndsAt.toISOString() },
			});
			return;
		case "expired":
			await recordTenantEvent(tx, subscriptionExpired, {
				...ofTenant,
				data: {
					...common,
					because: tell.because,
					expired_at: tell.expiredAt.toISOString(),
					grace_until: tell.graceUntil.toISOString(),
				},
			});
			return;
		case "grace_ended":
			await recordTenantEvent(tx, subscriptionGraceEnded, {
				...ofTenant,
				data: { ...common, ended_at: tell.endedAt.toISOString() },
			});
			return;
		case "billing_requested":
			await recordTenantEvent(tx, subscriptionBillingRequested, {
				...about,
				subject: tell.operation.id,
				data: billingOf(tenantId, tell.operation),
			});
			return;
		case "overage_billed":
			await recordTenantEvent(tx, subscriptionBillingRequested, {
				...about,
				subject: tell.bill.id,
				data: overageOf(tell.bill),
			});
			return;
		case "overage_unpaid":
			await recordTenantEvent(tx, subscriptionOverageUnpaid, {
				...about,
				subject: tell.bill.id,
				data: unpaidOf(tell.bill),
			});
	}
}

type BillingTell = Extract<Tell, { what: "billing_requested" }>["operation"];

function billingOf(tenantId: string, { id, kind, attempt, amountMinor, currency, lines }: BillingTell) {
	return {
		operation_id: id,
		tenant_id: tenantId,
		kind,
		attempt,
		amount_minor: Number(amountMinor),
		currency,
		lines: lines.map(({ what, code, amountMinor: minor }) => ({ what, code, amount_minor: Number(minor) })),
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

/** One line a metric and price; what credit was used is the last. */
function overageOf({ id, tenantId, attempt, amountMinor, currency, lines, balanceMinor }: OverageBill) {
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
	};
}
