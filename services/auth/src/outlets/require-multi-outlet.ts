import { chassisFailures } from "@lango/chassis";
import type { Administrator } from "../administrators/admit-administrator.ts";
import type { Dependencies } from "../dependencies.ts";

/** The feature of a plan that more than one outlet needs. */
export const multiOutlet = "multi_outlet";

type Asking = {
	tenant: { id: string; slug: string };
	by: Administrator;
	/** Whether the outlet is new, and not one that the tenant had before. */
	isNew: boolean;
};

/** The dependencies of the check. */
export type PlanNeeds = {
	subscriptions: Pick<Dependencies["subscriptions"], "ask">;
	settings: Pick<Dependencies["settings"], "platformOwnerSlug">;
};

/**
 * Checks that the tenant's plan allows more than one outlet. The platform's own tenant and its owner need
 * no plan. Throws `feature_unavailable`. If the plan is not known, throws `entitlements_unavailable` for a
 * new outlet and allows an outlet that the tenant had before. Calls the subscription service: do not call
 * it inside a transaction.
 */
export async function requireMultiOutlet(
	{ subscriptions, settings }: PlanNeeds,
	{ tenant, by, isNew }: Asking,
): Promise<void> {
	if (tenant.slug === settings.platformOwnerSlug || by.isPlatformOwner) return;
	const subscription = await subscriptions.ask(tenant.id);
	if (subscription === undefined) {
		if (isNew) throw chassisFailures.entitlements_unavailable();
		return;
	}
	if (subscription?.features.includes(multiOutlet) === true) return;
	throw chassisFailures.feature_unavailable({
		message: "The current plan includes one outlet only.",
		fields: { feature: multiOutlet },
	});
}
