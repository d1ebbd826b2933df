import type { AccessLevel, Subscription, SubscriptionStatus } from "@lango/contracts";
import { effectiveTerms, type Overrides, type Terms } from "../terms/terms.ts";

type PlanTerms = Terms & { code: string };

/** A tenant's subscription as it is stored: boundaries in time, never a status. */
export type SubscriptionRecord = {
	tenantId: string;
	version: number;
	plan: PlanTerms;
	/** The next plan with its add-ons (null: the current ones). `from` null: when it is paid. */
	pending: { plan: PlanTerms; addOns: readonly Terms[] | null; from: Date | null } | null;
	addOns: readonly Terms[];
	/** What the platform owner has set for this tenant only. */
	overrides: Overrides;
	trialEndsAt: Date | null;
	/** The end of the paid period; null if nothing was ever paid. */
	periodEndsAt: Date | null;
	/** The end of the entitlement: of the trial, of a cancelled period, or of the retries of a renewal. */
	expiresAt: Date;
	graceUntil: Date;
};

/** The state of a subscription at one moment. */
export type SubscriptionState = {
	status: SubscriptionStatus;
	access: AccessLevel;
	/** When the status ends or ended, unless a payment arrives. */
	endsAt: Date;
	/** When the status or the access changes by time alone; null: never. */
	nextAt: Date | null;
};

/**
 * The state at `now`, derived only from the boundaries (spec §3), so that a late job gives nothing away. A
 * boundary belongs to the state after it. Before expiry: TRIAL if nothing was paid, ACTIVE in the paid
 * period, then PAST_DUE.
 */
export function stateAt(
	{ periodEndsAt, expiresAt, graceUntil }: SubscriptionRecord,
	now: Date,
): SubscriptionState {
	if (now >= graceUntil) return { status: "EXPIRED", access: "read_only", endsAt: expiresAt, nextAt: null };
	if (now >= expiresAt) return { status: "EXPIRED", access: "grace", endsAt: expiresAt, nextAt: graceUntil };
	if (periodEndsAt === null) return { status: "TRIAL", access: "full", endsAt: expiresAt, nextAt: expiresAt };
	if (now < periodEndsAt)
		return { status: "ACTIVE", access: "full", endsAt: periodEndsAt, nextAt: periodEndsAt };
	return { status: "PAST_DUE", access: "full", endsAt: expiresAt, nextAt: expiresAt };
}

/** The snapshot that other services receive (spec §4.2): a pure function of the record and the time. */
export function snapshotAt(record: SubscriptionRecord, now: Date): Subscription {
	const { pending, trialEndsAt, graceUntil } = record;
	const state = stateAt(record, now);
	const hasChanged = pending !== null && pending.from !== null && now >= pending.from;
	const plan = hasChanged ? pending.plan : record.plan;
	const addOns = (hasChanged ? pending.addOns : null) ?? record.addOns;
	const { products, features, limits } = effectiveTerms(plan, addOns, record.overrides);
	const waiting = hasChanged ? null : pending;
	return {
		tenant_id: record.tenantId,
		status: state.status,
		plan: plan.code,
		features: state.access === "read_only" ? [] : features,
		limits,
		products,
		expires_at: state.endsAt.toISOString(),
		expiry: Math.floor(state.endsAt.getTime() / 1_000),
		access: state.access,
		grace_until: state.status === "EXPIRED" ? graceUntil.toISOString() : null,
		trial_end: trialEndsAt?.toISOString() ?? null,
		pending_change:
			waiting === null
				? null
				: { plan: waiting.plan.code, effective_at: waiting.from?.toISOString() ?? null },
		version: record.version,
		next_change_at: earliest(state.nextAt, waiting?.from ?? null)?.toISOString() ?? null,
	};
}

function earliest(one: Date | null, other: Date | null): Date | null {
	if (one === null || other === null) return one ?? other;
	return one < other ? one : other;
}
