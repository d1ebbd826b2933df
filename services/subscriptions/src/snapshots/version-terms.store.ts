import type { Database } from "@lango/postgres";
import type { Terms } from "../rules/terms/terms.ts";
import type { StoredOverage } from "../rules/usage/overage-price.ts";

/** The terms of a plan version, and its overage prices. */
export type PlanVersionTerms = Terms & { code: string; overage: StoredOverage; currency: string };
/** The terms of an add-on version. */
export type AddOnVersionTerms = Terms & { code: string; version: number };

/** The terms of a plan version by id. Throws an Error if not found: versions are never removed. */
export async function getPlanTerms(db: Database, id: string): Promise<PlanVersionTerms> {
	const [row] = await db.query<PlanVersionTerms>(
		`select v.plan_code as code, b.products, v.features, v.limits, v.overage, v.currency
		   from plan_versions v join bundles b on b.code = v.bundle_code
		  where v.id = $1`,
		[id],
	);
	if (row === undefined) throw new Error(`there is no plan version ${id}`);
	return row;
}

/** The terms of an add-on version by id. Throws an Error if not found: versions are never removed. */
export async function getAddOnTerms(db: Database, id: string): Promise<AddOnVersionTerms> {
	const [row] = await db.query<AddOnVersionTerms>(
		"select add_on_code as code, version, products, features, limits from add_on_versions where id = $1",
		[id],
	);
	if (row === undefined) throw new Error(`there is no version ${id} of an add-on`);
	return row;
}
