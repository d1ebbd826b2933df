import { type Database, inTenant } from "@lango/postgres";

/** A subscription to seed, with the newest version of the plan and the add-ons. */
export type NewSubscription = {
	tenantId: string;
	plan: string;
	addOns: readonly string[];
	trial: { startedAt: Date; endsAt: Date } | null;
	period: { startedAt: Date; endsAt: Date } | null;
	expiresAt: Date;
	graceUntil: Date;
	/** Whether its renewal is requested at the end of the paid period. */
	isRenewed: boolean;
};

/** More than the renewal schedule has retries: none is left. */
const allRenewals = 1_000;

/** Records a tenant's first subscription; false if it already has one, which then stays as it is. */
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
			      order by o.version desc limit 1) v
			 on conflict (tenant_id, add_on_version_id) do nothing`,
			[tenantId, addOns],
		);
		return true;
	});
}

/** New boundaries for a subscription. */
export type SeededBoundaries = Pick<NewSubscription, "trial" | "period" | "expiresAt" | "graceUntil">;

/** Moves the boundaries of a subscription and raises its version; false if it is no longer at `version`. */
export async function changeBoundaries(
	db: Database,
	{
		tenantId,
		version,
		trial,
		period,
		expiresAt,
		graceUntil,
	}: SeededBoundaries & { tenantId: string; version: number },
): Promise<boolean> {
	const changed = await inTenant(db, tenantId, (tx) =>
		tx.query(
			`update subscriptions
			    set version = version + 1, trial_started_at = $3, trial_ends_at = $4, period_started_at = $5, period_ends_at = $6,
			        expires_at = $7, grace_until = $8, anchor_at = null, period_number = 0, line_id = null, announced_state = null,
			        trial_ending_announced = false, next_due_at = '-infinity', updated_at = now()
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
