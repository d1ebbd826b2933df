import { type Database, inTenant } from "@lango/postgres";
import type { Overrides, SubscriptionRecord } from "../rules/lifecycle/state.ts";
import type { AddOnVersionTerms, PlanVersionTerms } from "./version-terms.store.ts";
import { readVersionTerms, type VersionTerms } from "./version-terms.ts";

/** A subscription as it is read, with what belongs to it but is not in its snapshot. */
export type FoundSubscription = SubscriptionRecord & {
	/** The time it is for the tenant when that is not everybody's (outside production). */
	testNow: Date | null;
	plan: PlanVersionTerms;
	pending: { plan: PlanVersionTerms; addOns: AddOnVersionTerms[] | null; from: Date | null } | null;
	trialStartedAt: Date | null;
	periodStartedAt: Date | null;
	/** Null: nobody has told of it. */
	timeZone: string | null;
};

/**
 * The tenant's subscription, with what its plans and add-ons hold; undefined when it has none. One statement, and no other
 * where the terms of the versions are in memory.
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

/** As JSON has it, times as text: one value is read faster than sixteen columns. The subscription has more, and all its columns. */
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

/** The order says nothing, but is always the same: what a snapshot lists follows it. */
function byCode(one: AddOnVersionTerms, other: AddOnVersionTerms): number {
	if (one.code !== other.code) return one.code < other.code ? -1 : 1;
	return one.version - other.version;
}

/** A subscription about to be written; the plan and the add-ons are meant in their newest version. */
export type NewSubscription = {
	tenantId: string;
	plan: string;
	addOns: readonly string[];
	trial: { startedAt: Date; endsAt: Date } | null;
	period: { startedAt: Date; endsAt: Date } | null;
	expiresAt: Date;
	graceUntil: Date;
	/** Whether its renewal is asked for where the paid period ends. */
	isRenewed: boolean;
};

/** More than there are moments in the schedule of renewals: none is left. */
const allRenewals = 1_000;

/** Records a tenant's first subscription; false when it has one already, which then stays as it is. */
export async function recordSubscription(db: Database, subscription: NewSubscription): Promise<boolean> {
	const { tenantId, plan, addOns, trial, period, expiresAt, graceUntil, isRenewed } = subscription;
	return inTenant(db, tenantId, async (tx) => {
		const recorded = await tx.query(
			`insert into subscriptions (tenant_id, plan_version_id, trial_started_at, trial_ends_at,
			                            period_started_at, period_ends_at, expires_at, grace_until, renewals_asked)
			 select $1, id, $3, $4, $5, $6, $7, $8, $9
			   from plan_versions v
			  where plan_code = $2 and not exists (select from plan_version_retirements r where r.plan_version_id = v.id)
			  order by version desc limit 1
			 on conflict (tenant_id) do nothing
			 returning tenant_id`,
			[
				tenantId,
				plan,
				trial?.startedAt ?? null,
				trial?.endsAt ?? null,
				period?.startedAt ?? null,
				period?.endsAt ?? null,
				expiresAt,
				graceUntil,
				isRenewed ? 0 : allRenewals,
			],
		);
		if (recorded.length === 0) return false;
		await tx.query(
			`insert into subscription_add_ons (tenant_id, add_on_version_id)
			 select $1, v.id
			   from unnest($2::text[]) as wanted (code)
			  cross join lateral (
			     select o.id from add_on_versions o
			      where o.add_on_code = wanted.code
			        and not exists (select from add_on_version_retirements r where r.add_on_version_id = o.id)
			      order by o.version desc limit 1) v`,
			[tenantId, addOns],
		);
		return true;
	});
}

/** New boundaries for a subscription; raises its version. */
export type Boundaries = Pick<NewSubscription, "trial" | "period" | "expiresAt" | "graceUntil">;

/** Moves the boundaries of a subscription that is still at `version`; false when somebody else was first. */
export async function changeBoundaries(
	db: Database,
	{
		tenantId,
		version,
		trial,
		period,
		expiresAt,
		graceUntil,
	}: Boundaries & { tenantId: string; version: number },
): Promise<boolean> {
	const changed = await inTenant(db, tenantId, (tx) =>
		tx.query(
			`update subscriptions
			    set version = version + 1, trial_started_at = $3, trial_ends_at = $4, period_started_at = $5, period_ends_at = $6,
			        expires_at = $7, grace_until = $8, anchor_at = null, period_number = 0, line_id = null, told_state = null,
			        trial_ending_told = false, next_due_at = '-infinity', updated_at = now()
			  where tenant_id = $1 and version = $2
			 returning tenant_id`,
			[
				tenantId,
				version,
				trial?.startedAt ?? null,
				trial?.endsAt ?? null,
				period?.startedAt ?? null,
				period?.endsAt ?? null,
				expiresAt,
				graceUntil,
			],
		),
	);
	return changed.length === 1;
}
