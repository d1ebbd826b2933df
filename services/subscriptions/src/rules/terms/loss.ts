import type { Choice } from "./plan.ts";
import { effectiveTerms, type Overrides, unlimited } from "./terms.ts";

/** What a tenant has now and would lose. */
export type Loss = {
	featuresLost: string[];
	productsLost: string[];
	/** Limits that become lower; -1 is unlimited. */
	limitsLowered: Array<{ limit: string; from: number; to: number }>;
};

/** Nothing is lost. */
export const noLoss: Loss = { featuresLost: [], productsLost: [], limitsLowered: [] };

type Having = Choice & { overrides: Overrides };

/**
 * What a tenant would lose by moving from a choice (the current one by default) to another. Overrides of the
 * tenant stay.
 */
export function lossOf(
	subscription: Having,
	{ from = subscription, to }: { from?: Choice; to: Choice },
): Loss {
	const before = effectiveTerms(from.plan, from.addOns, subscription.overrides);
	const after = effectiveTerms(to.plan, to.addOns, subscription.overrides);
	const lowered = Object.entries(before.limits).map(([limit, value]) => ({
		limit,
		from: value,
		to: after.limits[limit] ?? 0,
	}));
	return {
		featuresLost: before.features.filter((code) => !after.features.includes(code)),
		productsLost: before.products.filter((product) => !after.products.includes(product)),
		limitsLowered: lowered.filter(
			({ from: value, to: then }) => then !== unlimited && (value === unlimited || then < value),
		),
	};
}

/** Whether anything is lost. The tenant must acknowledge a loss. */
export function isLoss({ featuresLost, productsLost, limitsLowered }: Loss): boolean {
	return featuresLost.length + productsLost.length + limitsLowered.length > 0;
}

/** Reads how much of each limit a tenant uses now. Limits that are not counted here are missing. */
export type ReadLimitUsage = (tenantId: string) => Promise<Readonly<Record<string, number>>>;

/** A limit of the new plan that current usage exceeds. */
export type ExceededLimit = { limit: string; used: number; allowed: number };

/** A loss as the API returns it. */
export function lossToWire(
	{ featuresLost, productsLost, limitsLowered }: Loss,
	limitsExceeded: readonly ExceededLimit[],
) {
	return {
		features_lost: featuresLost,
		products_lost: productsLost,
		limits_lowered: limitsLowered,
		limits_exceeded: [...limitsExceeded],
	};
}

/** The lowered limits that current usage exceeds. */
export function exceeded(
	{ limitsLowered }: Pick<Loss, "limitsLowered">,
	used: Readonly<Record<string, number>>,
): ExceededLimit[] {
	return limitsLowered
		.map(({ limit, to }) => ({ limit, used: used[limit] ?? 0, allowed: to }))
		.filter(({ used: count, allowed }) => allowed !== unlimited && count > allowed);
}
