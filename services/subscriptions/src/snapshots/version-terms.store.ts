import type { Database } from "@lango/postgres";
import type { Terms } from "../rules/terms/terms.ts";
import type { StoredOverage } from "../rules/usage/overage-price.ts";

/** What a version of a plan holds, and what it asks for more. */
export type PlanVersionTerms = Terms & { code: string; overage: StoredOverage; currency: string };
/** What a version of an add-on holds. */
export type AddOnVersionTerms = Terms & { code: string; version: number };

/** What a version of a plan holds, by its id. Throws an Error when there is none: versions are never removed. */
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

/** What a version of an add-on holds, by its id. Throws an Error when there is none: versions are never removed. */
export async function getAddOnTerms(db: Database, id: string): Promise<AddOnVersionTerms> {
	const [row] = await db.query<AddOnVersionTerms>(
		"select add_on_code as code, version, products, features, limits from add_on_versions where id = $1",
		[id],
	);
	if (row === undefined) throw new Error(`there is no version ${id} of an add-on`);
	return row;
}
