import type { Choice } from "./plan.ts";
import { effectiveTerms, type Overrides, unlimited } from "./terms.ts";

/** What the tenant has now and would not have. */
export type Loss = {
	featuresLost: string[];
	productsLost: string[];
	/** Limits that are lower then; -1 is unlimited. */
	limitsLowered: Array<{ limit: string; from: number; to: number }>;
};

/** Nothing is lost. */
export const noLoss: Loss = { featuresLost: [], productsLost: [], limitsLowered: [] };

type Having = Choice & { overrides: Overrides };

/** What the tenant has (`from`; what it has now unless told) and would not have; what was set for it alone it has all the same. */
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

/** Whether anything is lost, which a tenant has to acknowledge. */
export function isLoss({ featuresLost, productsLost, limitsLowered }: Loss): boolean {
	return featuresLost.length + productsLost.length + limitsLowered.length > 0;
}

/** How much of each limit a tenant uses now; a limit that is missing is not known here. */
export type ReadLimitUsage = (tenantId: string) => Promise<Readonly<Record<string, number>>>;

/** Limits of the new plan that the tenant has passed already. */
export type ExceededLimit = { limit: string; used: number; allowed: number };

/** What a tenant loses by a change, as it is told. */
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

/** Which of the limits that are lowered the tenant has passed already. */
export function exceeded(
	{ limitsLowered }: Pick<Loss, "limitsLowered">,
	used: Readonly<Record<string, number>>,
): ExceededLimit[] {
	return limitsLowered
		.map(({ limit, to }) => ({ limit, used: used[limit] ?? 0, allowed: to }))
		.filter(({ used: count, allowed }) => allowed !== unlimited && count > allowed);
}
