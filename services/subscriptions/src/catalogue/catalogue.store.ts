import type { BillingInterval } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { Price, Terms } from "../rules/terms/terms.ts";
import type { StoredOverage } from "../rules/usage/overage-price.ts";
import type { AddOnDefinition, Feature, PlanDefinition } from "./catalogue.ts";

/** A plan on offer: its newest version that is not retired. */
export type OfferedPlan = Price &
	Terms & {
		code: string;
		name: string;
		position: number;
		version: number;
		trialDays: number;
		graceDays: number;
		overage: StoredOverage;
	};

/** Plans on offer after a position, ordered by position. */
export async function listPlans(
	db: Database,
	{ after, max }: { after: number; max: number },
): Promise<OfferedPlan[]> {
	const rows = await db.query<PlanRow>(
		`select p.code, p.name, p.position, v.version, v.price_minor, v.currency, v.billing_interval,
		        v.trial_days, v.grace_days, v.features, v.limits, v.overage, b.products
		   from plans p
		  cross join lateral (
		     select * from plan_versions o
		      where o.plan_code = p.code
		        and not exists (select from plan_version_retirements r where r.plan_version_id = o.id)
		      order by o.version desc limit 1) v
		   join bundles b on b.code = v.bundle_code
		  where p.retired_at is null and p.position > $1
		  order by p.position
		  limit $2`,
		[after, max],
	);
	return rows.map(fromRow);
}

type PlanRow = {
	code: string;
	name: string;
	position: number;
	version: number;
	price_minor: bigint;
	currency: string;
	billing_interval: BillingInterval;
	trial_days: number;
	grace_days: number;
	features: string[];
	limits: Record<string, number>;
	overage: StoredOverage;
	products: string[];
};

function fromRow({ price_minor, billing_interval, trial_days, grace_days, ...rest }: PlanRow): OfferedPlan {
	return {
		...rest,
		priceMinor: price_minor,
		interval: billing_interval,
		trialDays: trial_days,
		graceDays: grace_days,
	};
}

export async function recordFeature(db: Database, { code, kind, description }: Feature): Promise<void> {
	await db.query(
		`insert into features (code, kind, description) values ($1, $2, $3)
		 on conflict (code) do update set kind = excluded.kind, description = excluded.description
		  where (features.kind, features.description) is distinct from (excluded.kind, excluded.description)`,
		[code, kind, description],
	);
}

/** Records a plan unless it exists. Changes made by an operator are kept. */
export async function recordPlan(db: Database, { code, name, position }: PlanDefinition): Promise<void> {
	await db.query(
		"insert into plans (code, name, position) values ($1, $2, $3) on conflict (code) do nothing",
		[code, name, position],
	);
}

/**
 * Records a version unless it exists: a published version never changes. Lock the plan first: a cluster asks
 * for the right to update with `on conflict`, which the service does not have here.
 */
export async function recordPlanVersion(tx: Database, plan: PlanDefinition): Promise<void> {
	const known = await tx.query("select from plan_versions where plan_code = $1 and version = $2", [
		plan.code,
		plan.version,
	]);
	if (known.length > 0) return;
	await tx.query(
		`insert into plan_versions (plan_code, version, bundle_code, price_minor, currency, billing_interval,
		                            trial_days, grace_days, features, limits)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		[
			plan.code,
			plan.version,
			plan.bundle,
			plan.priceMinor,
			plan.currency,
			plan.interval,
			plan.trialDays,
			plan.graceDays,
			plan.features,
			plan.limits,
		],
	);
}

export async function recordAddOn(db: Database, { code, name }: AddOnDefinition): Promise<void> {
	await db.query("insert into add_ons (code, name) values ($1, $2) on conflict (code) do nothing", [
		code,
		name,
	]);
}

/** Records a version unless it exists, as `recordPlanVersion`. Lock the add-on first. */
export async function recordAddOnVersion(tx: Database, addOn: AddOnDefinition): Promise<void> {
	const known = await tx.query("select from add_on_versions where add_on_code = $1 and version = $2", [
		addOn.code,
		addOn.version,
	]);
	if (known.length > 0) return;
	await tx.query(
		`insert into add_on_versions (add_on_code, version, price_minor, currency, billing_interval, products, features, limits)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		[
			addOn.code,
			addOn.version,
			addOn.priceMinor,
			addOn.currency,
			addOn.interval,
			addOn.products,
			addOn.features,
			addOn.limits,
		],
	);
}
