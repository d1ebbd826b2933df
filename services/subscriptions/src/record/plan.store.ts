import type { Database } from "@lango/postgres";
import { failures } from "../failures.ts";
import type { AddOnVersion, PlanVersion } from "../rules/terms/plan.ts";

/** Rows as JSON carries them: prices are text. */
export type PlanVersionRow = Omit<PlanVersion, "priceMinor"> & { priceMinor: string };
export type AddOnVersionRow = Omit<AddOnVersion, "priceMinor"> & { priceMinor: string };

/**
 * SQL: a version of a plan by its id, with all that follows from having it; null if it is not found. Not a
 * function of the database, because a cluster refuses one in a statement about a tenant.
 */
export const planWithTerms = (id: string): string => `(
	select jsonb_build_object('id', found.id, 'code', found.plan_code, 'version', found.version, 'products', bundle.products,
	         'features', found.features, 'limits', found.limits, 'priceMinor', found.price_minor::text,
	         'currency', found.currency, 'interval', found.billing_interval, 'trialDays', found.trial_days,
	         'graceDays', found.grace_days)
	  from plan_versions found join bundles bundle on bundle.code = found.bundle_code
	 where found.id = ${id})`;

/** SQL: versions of add-ons by their ids, ordered by code and version, as `planWithTerms`. */
export const addOnsWithTerms = (ids: string): string => `(
	select coalesce(jsonb_agg(
	         jsonb_build_object('id', found.id, 'code', found.add_on_code, 'version', found.version, 'products', found.products,
	           'features', found.features, 'limits', found.limits, 'priceMinor', found.price_minor::text,
	           'currency', found.currency, 'interval', found.billing_interval)
	         order by found.add_on_code, found.version), '[]')
	  from add_on_versions found
	 where found.id = any (${ids}))`;

export function readPlan({ priceMinor, ...plan }: PlanVersionRow): PlanVersion {
	return { ...plan, priceMinor: BigInt(priceMinor) };
}

export function readAddOn({ priceMinor, ...addOn }: AddOnVersionRow): AddOnVersion {
	return { ...addOn, priceMinor: BigInt(priceMinor) };
}

/** The newest version of a plan that is not retired; undefined if the plan is not on offer. */
async function findOfferedPlan(db: Database, code: string): Promise<PlanVersion | undefined> {
	const [row] = await db.query<{ plan: PlanVersionRow }>(
		`select ${planWithTerms("v.id")} as plan
		   from plan_versions v
		   join plans p on p.code = v.plan_code
		  where v.plan_code = $1 and p.retired_at is null
		    and not exists (select from plan_version_retirements r where r.plan_version_id = v.id)
		  order by v.version desc limit 1`,
		[code],
	);
	return row && readPlan(row.plan);
}

/** The newest version of a plan that is not retired. Throws `plan_not_found`. */
export async function getOfferedPlan(tx: Database, code: string): Promise<PlanVersion> {
	const plan = await findOfferedPlan(tx, code);
	if (plan === undefined) throw failures.plan_not_found({ fields: { field: "plan" } });
	return plan;
}

/** The newest version of each add-on that is not retired; add-ons that are not on offer are left out. */
export async function findOfferedAddOns(db: Database, codes: readonly string[]): Promise<AddOnVersion[]> {
	return readAddOns(
		db,
		`select ${addOnsWithTerms(`array(
		   select distinct on (v.add_on_code) v.id from add_on_versions v
		    where v.add_on_code = any ($1::text[])
		      and not exists (select from add_on_version_retirements r where r.add_on_version_id = v.id)
		    order by v.add_on_code, v.version desc)`)} as add_ons`,
		codes,
	);
}

/** Versions of add-ons by id. */
export async function getAddOnVersions(db: Database, ids: readonly string[]): Promise<AddOnVersion[]> {
	return readAddOns(db, `select ${addOnsWithTerms("$1::uuid[]")} as add_ons`, ids);
}

async function readAddOns(db: Database, text: string, wanted: readonly string[]): Promise<AddOnVersion[]> {
	const [row] = await db.query<{ add_ons: AddOnVersionRow[] }>(text, [wanted]);
	if (row === undefined) throw new Error("reading add-ons returned nothing");
	return row.add_ons.map(readAddOn);
}

/** A plan version by id. Throws an Error if not found: versions are never removed. */
export async function getPlanVersion(db: Database, id: string): Promise<PlanVersion> {
	const [row] = await db.query<{ plan: PlanVersionRow | null }>(`select ${planWithTerms("$1")} as plan`, [
		id,
	]);
	if (!row?.plan) throw new Error(`there is no plan version ${id}`);
	return readPlan(row.plan);
}
