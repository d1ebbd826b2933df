import type { Database } from "@lango/postgres";
import type { HeldAddOn, HeldPlan } from "./held-plan.ts";

/** As JSON carries them: prices are text there. */
export type HeldPlanRow = Omit<HeldPlan, "priceMinor"> & { priceMinor: string };
export type HeldAddOnRow = Omit<HeldAddOn, "priceMinor"> & { priceMinor: string };

export function readPlan({ priceMinor, ...plan }: HeldPlanRow): HeldPlan {
	return { ...plan, priceMinor: BigInt(priceMinor) };
}

export function readAddOn({ priceMinor, ...addOn }: HeldAddOnRow): HeldAddOn {
	return { ...addOn, priceMinor: BigInt(priceMinor) };
}

/** A plan as it is on offer now: its newest version that is not retired; undefined when there is none. */
export async function findOfferedPlan(db: Database, code: string): Promise<HeldPlan | undefined> {
	const [row] = await db.query<{ plan: HeldPlanRow }>(
		`select plan_as_held(v.id) as plan
		   from plan_versions v
		   join plans p on p.code = v.plan_code
		  where v.plan_code = $1 and p.retired_at is null
		    and not exists (select from plan_version_retirements r where r.plan_version_id = v.id)
		  order by v.version desc limit 1`,
		[code],
	);
	return row && readPlan(row.plan);
}

/** A version by its id. Throws an Error when there is none: versions are never removed. */
export async function getPlanVersion(db: Database, id: string): Promise<HeldPlan> {
	const [row] = await db.query<{ plan: HeldPlanRow | null }>("select plan_as_held($1) as plan", [id]);
	if (!row?.plan) throw new Error(`there is no plan version ${id}`);
	return readPlan(row.plan);
}
