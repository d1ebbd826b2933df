import type { AddOn, Plan, Subscription } from "@lango/contracts";

/** What somebody can do with a plan, as their subscription stands. */
type Offer =
	/** They have it. */
	| "yours"
	/** They have it, and it waits to be paid. */
	| "pay_yours"
	/** It comes where the period ends. */
	| "coming"
	/** A first trial. */
	| "trial"
	/** Another plan for the rest of the trial: nothing is paid. */
	| "switch"
	/** It is paid for before it is there. */
	| "pay"
	/** It takes the place of a paid one, by a quote. */
	| "change";

type Standing = Pick<Subscription, "status" | "plan" | "trial_end" | "pending_change">;

/** What is offered with a plan: the service's own rules (services/subscriptions/README.md), so that no button leads to a refusal. */
export function offerOf(standing: Standing | null, plan: string): Offer {
	if (standing === null) return "trial";
	const { status, trial_end, pending_change } = standing;
	const isOwn = standing.plan === plan;
	if (status === "EXPIRED" && trial_end === null) return "trial";
	if (status === "ACTIVE") return isOwn ? "yours" : pending_change?.plan === plan ? "coming" : "change";
	if (isOwn) return "pay_yours";
	return status === "TRIAL" ? "switch" : "pay";
}

type Terms = Pick<Subscription, "features" | "products" | "limits">;
export type Gain = {
	features: string[];
	products: string[];
	/** Limits that are higher then; -1 is unlimited. */
	limits: Array<{ limit: string; from: number; to: number }>;
};

const unlimited = -1;

/** What there would be that there is not now. */
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

/** A plan and the add-ons beside it as one: limits are added. */
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

/** Which of two prices is the higher, by what they come to in a year. */
export function pricePerYear({ price_minor, interval }: Pick<Plan, "price_minor" | "interval">): number {
	return interval === "month" ? price_minor * 12 : price_minor;
}

/** The plans with the one that somebody chose when they registered before the others. */
export function chosenFirst<P extends Pick<Plan, "code">>(
	plans: readonly P[],
	chosen: string | undefined,
): P[] {
	return plans.toSorted((one, other) => Number(other.code === chosen) - Number(one.code === chosen));
}
