import type { Database } from "@lango/postgres";
import type { SubscriptionRecord } from "../rules/lifecycle/state.ts";
import type { Overrides } from "../rules/terms/terms.ts";
import type { AddOnVersionTerms, PlanVersionTerms } from "./version-terms.store.ts";
import { readVersionTerms, type VersionTerms } from "./version-terms.ts";

/** A stored subscription with the fields that are not in its snapshot. */
export type FoundSubscription = SubscriptionRecord & {
	/** The time of the tenant's test clock (never in production); null: the system time. */
	testNow: Date | null;
	plan: PlanVersionTerms;
	pending: { plan: PlanVersionTerms; addOns: AddOnVersionTerms[] | null; from: Date | null } | null;
	trialStartedAt: Date | null;
	periodStartedAt: Date | null;
	/** Null: not known yet. */
	timeZone: string | null;
};

/**
 * Reads a tenant's subscription with the terms of its plans and add-ons; undefined if not found. Takes one
 * statement if the terms are cached.
 */
export async function findSubscription(
	db: Database,
	tenantId: string,
	terms: VersionTerms = readVersionTerms(db),
): Promise<FoundSubscription | undefined> {
	const [row] = await db.query<{ found: StoredSubscription | null }>(
		"select read_subscription($1) as found",
		[tenantId],
	);
	return row?.found == null ? undefined : fromStored(row.found, terms);
}

/**
 * The row as JSON, with times as text: decoding one value is faster than decoding sixteen columns. The JSON
 * has more fields, one per column.
 */
type StoredSubscription = {
	subscription: {
		tenant_id: string;
		version: number;
		trial_started_at: string | null;
		trial_ends_at: string | null;
		period_started_at: string | null;
		period_ends_at: string | null;
		expires_at: string;
		grace_until: string;
		overrides: Overrides;
		plan_version_id: string;
		pending_plan_version_id: string | null;
		pending_from: string | null;
		pending_add_on_version_ids: string[] | null;
	};
	add_on_version_ids: string[];
	test_now: string | null;
	time_zone: string | null;
};

async function fromStored(found: StoredSubscription, terms: VersionTerms): Promise<FoundSubscription> {
	const { subscription: row, add_on_version_ids: addOnIds, test_now, time_zone } = found;
	const { pending_plan_version_id: pendingId, pending_add_on_version_ids: pendingAddOnIds } = row;
	const addOnsOf = async (ids: readonly string[]) =>
		(await Promise.all(ids.map((id) => terms.addOn(id)))).toSorted(byCode);
	const plan = await terms.plan(row.plan_version_id);
	const pending = pendingId === null ? null : await terms.plan(pendingId);
	const pendingAddOns = pendingAddOnIds === null ? null : await addOnsOf(pendingAddOnIds);
	return {
		tenantId: row.tenant_id,
		version: row.version,
		plan,
		pending: pending && { plan: pending, addOns: pendingAddOns, from: timeOf(row.pending_from) },
		addOns: addOnIds.length === 0 ? [] : await addOnsOf(addOnIds),
		overrides: row.overrides,
		testNow: timeOf(test_now),
		trialStartedAt: timeOf(row.trial_started_at),
		trialEndsAt: timeOf(row.trial_ends_at),
		periodStartedAt: timeOf(row.period_started_at),
		periodEndsAt: timeOf(row.period_ends_at),
		expiresAt: new Date(row.expires_at),
		graceUntil: new Date(row.grace_until),
		timeZone: time_zone,
	};
}

const timeOf = (stored: string | null) => (stored === null ? null : new Date(stored));

/** A stable order: the lists in a snapshot follow it. */
function byCode(one: AddOnVersionTerms, other: AddOnVersionTerms): number {
	if (one.code !== other.code) return one.code < other.code ? -1 : 1;
	return one.version - other.version;
}
