import type { AddOn, Plan, Subscription } from "@lango/contracts";

/** What the tenant can do with a plan in the current state of its subscription. */
type Offer =
	/** The tenant has it. */
	| "yours"
	/** The tenant has it, and it must be paid. */
	| "pay_yours"
	/** It starts at the end of the period. */
	| "coming"
	/** A first trial. */
	| "trial"
	/** Continue the trial with this plan, without a payment. */
	| "switch"
	/** It must be paid before it starts. */
	| "pay"
	/** It replaces a paid plan, by a quote. */
	| "change";

type CurrentSubscription = Pick<Subscription, "status" | "plan" | "trial_end" | "pending_change">;

/**
 * Returns the offer for a plan by the rules of the service (services/subscriptions/README.md), so that no
 * button leads to an error.
 */
export function offerOf(subscription: CurrentSubscription | null, plan: string): Offer {
	if (subscription === null) return "trial";
	const { status, trial_end, pending_change } = subscription;
	const isOwn = subscription.plan === plan;
	if (status === "EXPIRED" && trial_end === null) return "trial";
	if (status === "ACTIVE") return isOwn ? "yours" : pending_change?.plan === plan ? "coming" : "change";
	if (isOwn) return "pay_yours";
	return status === "TRIAL" ? "switch" : "pay";
}

type Terms = Pick<Subscription, "features" | "products" | "limits">;
export type Gain = {
	features: string[];
	products: string[];
	/** Limits that increase; -1 is unlimited. */
	limits: Array<{ limit: string; from: number; to: number }>;
};

const unlimited = -1;

/** What `then` has and `now` does not. */
export function gainOf(now: Terms, then: Terms): Gain {
	const raised = Object.entries(then.limits).map(([limit, to]) => ({
		limit,
		from: now.limits[limit] ?? 0,
		to,
	}));
	return {
		features: then.features.filter((code) => !now.features.includes(code)),
		products: then.products.filter((code) => !now.products.includes(code)),
		limits: raised.filter(({ from, to }) => from !== unlimited && (to === unlimited || to > from)),
	};
}

export function isGain({ features, products, limits }: Gain): boolean {
	return features.length + products.length + limits.length > 0;
}

/** The terms of a plan with its add-ons. Limits are added. */
export function joinTerms(
	plan: Pick<Plan, keyof Terms>,
	addOns: ReadonlyArray<Pick<AddOn, keyof Terms>>,
): Terms {
	const limits = { ...plan.limits };
	for (const addOn of addOns)
		for (const [limit, more] of Object.entries(addOn.limits)) {
			const before = limits[limit] ?? 0;
			limits[limit] = before === unlimited || more === unlimited ? unlimited : before + more;
		}
	return {
		features: [...new Set([plan, ...addOns].flatMap(({ features }) => features))],
		products: [...new Set([plan, ...addOns].flatMap(({ products }) => products))],
		limits,
	};
}

/** The price per year, to compare prices of different intervals. */
export function pricePerYear({ price_minor, interval }: Pick<Plan, "price_minor" | "interval">): number {
	return interval === "month" ? price_minor * 12 : price_minor;
}

/** Puts the plan that was chosen at registration first. */
export function chosenFirst<P extends Pick<Plan, "code">>(
	plans: readonly P[],
	chosen: string | undefined,
): P[] {
	return plans.toSorted((one, other) => Number(other.code === chosen) - Number(one.code === chosen));
}
