import type { Database } from "@lango/postgres";
import { createCache, type Invalidatable } from "../cache/cache.ts";
import {
	type AddOnVersionTerms,
	getAddOnTerms,
	getPlanTerms,
	type PlanVersionTerms,
} from "./version-terms.store.ts";

/** The terms of plan and add-on versions by id. Both throw an Error if not found. */
export type VersionTerms = {
	plan(id: string): Promise<PlanVersionTerms>;
	addOn(id: string): Promise<AddOnVersionTerms>;
};

/** Reads the terms on every call, for infrequent use. */
export function readVersionTerms(db: Database): VersionTerms {
	return { plan: (id) => getPlanTerms(db, id), addOn: (id) => getAddOnTerms(db, id) };
}

const versionsMax = 2_000;

/** Caches the terms until a bundle changes. Versions never change. */
export function cacheVersionTerms(
	db: Database,
	now: () => Date,
): { terms: VersionTerms; caches: readonly Invalidatable[] } {
	const plans = createCache<PlanVersionTerms>({ now, sizeMax: versionsMax });
	const addOns = createCache<AddOnVersionTerms>({ now, sizeMax: versionsMax });
	return {
		terms: {
			plan: (id) => plans.find(id, async () => ({ value: await getPlanTerms(db, id) })),
			addOn: (id) => addOns.find(id, async () => ({ value: await getAddOnTerms(db, id) })),
		},
		caches: [plans, addOns],
	};
}
