import type { AddOn, Plan, SubscriptionCheckout, TenantAddOn } from "@lango/contracts";
import { gainOf, joinTerms } from "../../../subscription/offer.ts";

type Terms = Pick<Plan, "products" | "features" | "limits">;
type KnownAddOn = Pick<AddOn, "code"> & Terms;

export type CheckoutLoss = Pick<
	SubscriptionCheckout,
	"products_lost" | "features_lost" | "limits_lowered" | "limits_exceeded"
>;

/** The tenant's add-ons that a checkout can keep or remove: those that have started. */
export function droppableAddOns<A extends Pick<TenantAddOn, "starts_at">>(ownAddOns: readonly A[]): A[] {
	return ownAddOns.filter(({ starts_at }) => starts_at === null);
}

type Dropping = {
	plan: Terms;
	/** The codes of the tenant's add-ons, and of those that the checkout keeps. */
	ownAddOns: readonly string[];
	kept: readonly string[];
	/** The catalogue, for the content of each add-on. */
	addOns: readonly KnownAddOn[];
};

/** Returns what the tenant loses with the removed add-ons. What the plan includes is not lost. */
export function lossOfDropping({ plan, ownAddOns, kept, addOns }: Dropping): CheckoutLoss {
	const termsWith = (codes: readonly string[]) =>
		joinTerms(
			plan,
			addOns.filter(({ code }) => codes.includes(code)),
		);
	const { products, features, limits } = gainOf(termsWith(kept), termsWith(ownAddOns));
	return {
		products_lost: products,
		features_lost: features,
		limits_lowered: limits.map(({ limit, from, to }) => ({ limit, from: to, to: from })),
		limits_exceeded: [],
	};
}

/** Whether a checkout needs an acknowledgement: the service requires it, or an add-on is removed. */
export function mustAcknowledge(
	checkout: Pick<SubscriptionCheckout, "acknowledgement_required" | "add_ons">,
	ownAddOns: readonly string[],
): boolean {
	return checkout.acknowledgement_required || ownAddOns.some((code) => !checkout.add_ons.includes(code));
}
