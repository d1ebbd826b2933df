import { createCache, type Invalidatable } from "@lango/memory";
import type { Database } from "@lango/postgres";
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
const versionsMaxAgeMs = 60_000;

/** Caches the terms until a bundle changes. Versions never change. */
export function cacheVersionTerms(
	db: Database,
	now: () => Date,
): { terms: VersionTerms; caches: readonly Invalidatable[] } {
	const options = { now, sizeMax: versionsMax, maxAgeMs: versionsMaxAgeMs, isListening: false };
	const plans = createCache<PlanVersionTerms>(options);
	const addOns = createCache<AddOnVersionTerms>(options);
	return {
		terms: {
			plan: (id) => plans.load(id, () => getPlanTerms(db, id)),
			addOn: (id) => addOns.load(id, () => getAddOnTerms(db, id)),
		},
		caches: [plans, addOns],
	};
}
