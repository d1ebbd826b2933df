import type { Database } from "@lango/postgres";
import { lockItem } from "../platform/version.store.ts";
import { recordBundle } from "./bundle.store.ts";
import {
	recordAddOn,
	recordAddOnVersion,
	recordFeature,
	recordPlan,
	recordPlanVersion,
} from "./catalogue.store.ts";
import { addOns, bundles, features, plans } from "./catalogue.ts";

/** Writes the seeded catalogue in one transaction. Repeated or concurrent runs have no further effect. */
export async function seedCatalogue(db: Database): Promise<void> {
	await db.transaction(async (tx) => {
		for (const bundle of bundles) await recordBundle(tx, bundle);
		for (const feature of features) await recordFeature(tx, feature);
		for (const plan of plans) {
			await recordPlan(tx, plan);
			await lockItem(tx, "plan", plan.code);
			await recordPlanVersion(tx, plan);
		}
		for (const addOn of addOns) {
			await recordAddOn(tx, addOn);
			await lockItem(tx, "add_on", addOn.code);
			await recordAddOnVersion(tx, addOn);
		}
	});
}
