import type { AddOn, Plan, SubscriptionCheckout, TenantAddOn } from "@lango/contracts";
import { gainOf, joinTerms } from "../../../subscription/offer.ts";

type Terms = Pick<Plan, "products" | "features" | "limits">;
type KnownAddOn = Pick<AddOn, "code"> & Terms;

export type CheckoutLoss = Pick<
	SubscriptionCheckout,
	"products_lost" | "features_lost" | "limits_lowered" | "limits_exceeded"
>;

/** The add-ons of a tenant that a checkout can keep or drop: those that have begun. */
export function droppableAddOns<A extends Pick<TenantAddOn, "starts_at">>(held: readonly A[]): A[] {
	return held.filter(({ starts_at }) => starts_at === null);
}

type Dropping = {
	plan: Terms;
	/** Codes of the add-ons the tenant has, and of those that the checkout keeps. */
	held: readonly string[];
	kept: readonly string[];
	/** The catalogue, for what each add-on contains. */
	addOns: readonly KnownAddOn[];
};

/** What the plan no longer has beside it once the add-ons that are not kept are dropped; what the plan itself contains is not lost. */
export function lossOfDropping({ plan, held, kept, addOns }: Dropping): CheckoutLoss {
	const termsWith = (codes: readonly string[]) =>
		joinTerms(
			plan,
			addOns.filter(({ code }) => codes.includes(code)),
		);
	const { products, features, limits } = gainOf(termsWith(kept), termsWith(held));
	return {
		products_lost: products,
		features_lost: features,
		limits_lowered: limits.map(({ limit, from, to }) => ({ limit, from: to, to: from })),
		limits_exceeded: [],
	};
}

/** Whether a checkout takes something away, so that it is confirmed first: by the service's rule, or because an add-on is dropped. */
export function mustAcknowledge(
	checkout: Pick<SubscriptionCheckout, "acknowledgement_required" | "add_ons">,
	held: readonly string[],
): boolean {
	return checkout.acknowledgement_required || held.some((code) => !checkout.add_ons.includes(code));
}
