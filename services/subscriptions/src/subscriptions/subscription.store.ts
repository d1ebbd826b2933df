import { type Database, inTenant } from "@lango/postgres";
import type { Terms } from "../catalogue/catalogue.ts";
import type { Overrides, SubscriptionRecord } from "./subscription.ts";

/** A subscription, and the time it is for the tenant when that is not everybody's (outside production). */
export type FoundSubscription = SubscriptionRecord & { testNow: Date | null };

/** The tenant's subscription, with what its plans and add-ons hold; undefined when it has none. */
export async function findSubscription(
	db: Database,
	tenantId: string,
): Promise<FoundSubscription | undefined> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<SubscriptionRow>(
			`select s.tenant_id, s.version, s.trial_ends_at, s.period_ends_at, s.expires_at, s.grace_until,
			        s.overrides, c.now_at as test_now, v.plan_code, b.products, v.features, v.limits,
			        s.pending_from, n.plan_code as pending_plan_code, nb.products as pending_products,
			        n.features as pending_features, n.limits as pending_limits,
			        case when s.pending_add_on_version_ids is not null
			             then add_ons_as_held(s.pending_add_on_version_ids) end as pending_add_ons,
			        a.add_ons
			   from subscriptions s
			   join plan_versions v on v.id = s.plan_version_id
			   join bundles b on b.code = v.bundle_code
			   left join plan_versions n on n.id = s.pending_plan_version_id
			   left join bundles nb on nb.code = n.bundle_code
			   left join test_clocks c on c.tenant_id = s.tenant_id
			  cross join lateral (
			     select coalesce(
			              json_agg(json_build_object('products', o.products, 'features', o.features, 'limits', o.limits)
			                       order by o.add_on_code, o.version), '[]') as add_ons
			       from subscription_add_ons so
			       join add_on_versions o on o.id = so.add_on_version_id
			      where so.tenant_id = s.tenant_id) a
			  where s.tenant_id = $1`,
			[tenantId],
		),
	);
	return row === undefined ? undefined : fromRow(row);
}

type SubscriptionRow = {
	tenant_id: string;
	version: number;
	trial_ends_at: Date | null;
	period_ends_at: Date | null;
	expires_at: Date;
	grace_until: Date;
	plan_code: string;
	products: string[];
	features: string[];
	limits: Record<string, number>;
	pending_from: Date | null;
	pending_plan_code: string | null;
	pending_products: string[] | null;
	pending_features: string[] | null;
	pending_limits: Record<string, number> | null;
	pending_add_ons: Terms[] | null;
	add_ons: Terms[];
	overrides: Overrides;
	test_now: Date | null;
};

function fromRow(row: SubscriptionRow): FoundSubscription {
	return {
		tenantId: row.tenant_id,
		version: row.version,
		plan: { code: row.plan_code, products: row.products, features: row.features, limits: row.limits },
		pending: pendingOf(row),
		addOns: row.add_ons,
		overrides: row.overrides,
		testNow: row.test_now,
		trialEndsAt: row.trial_ends_at,
		periodEndsAt: row.period_ends_at,
		expiresAt: row.expires_at,
		graceUntil: row.grace_until,
	};
}

function pendingOf(row: SubscriptionRow): SubscriptionRecord["pending"] {
	const {
		pending_plan_code: code,
		pending_products: products,
		pending_features: features,
		pending_limits: limits,
	} = row;
	if (code === null || products === null || features === null || limits === null) return null;
	return { plan: { code, products, features, limits }, addOns: row.pending_add_ons, from: row.pending_from };
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
			     select id from add_on_versions where add_on_code = wanted.code order by version desc limit 1) v`,
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
