import { type BillingInterval, products } from "@lango/contracts";

/** What a plan or an add-on grants. */
export type Terms = {
	products: readonly string[];
	features: readonly string[];
	limits: Readonly<Record<string, number>>;
};

/** The price of each interval, in lowest units. */
export type Price = { priceMinor: bigint; currency: string; interval: BillingInterval };

/** Overrides of the plan and the add-ons for one tenant: features on or off, limits, additional products. */
export type Overrides = {
	features: Readonly<Record<string, boolean>>;
	limits: Readonly<Record<string, number>>;
	products: readonly string[];
};

/** The value of a limit that means unlimited. */
export const unlimited = -1;

/** Expands a list of products that may contain `*`, in the order of the contract. */
export function expandProducts(listed: readonly string[]): string[] {
	return products.filter((product) => listed.includes("*") || listed.includes(product));
}

/**
 * The combined terms of a plan and its add-ons: each feature and product once, limits added up, unlimited if
 * any of them is.
 */
export function joinTerms(all: readonly Terms[]): {
	products: string[];
	features: string[];
	limits: Record<string, number>;
} {
	const limits = new Map<string, number>();
	for (const [name, value] of all.flatMap((terms) => Object.entries(terms.limits))) {
		const sum = limits.get(name) ?? 0;
		limits.set(name, sum === unlimited || value === unlimited ? unlimited : sum + value);
	}
	return {
		products: expandProducts(all.flatMap((terms) => terms.products)),
		features: [...new Set(all.flatMap((terms) => terms.features))],
		limits: Object.fromEntries(limits),
	};
}

type Joined = ReturnType<typeof joinTerms>;

/**
 * Memoizes the terms of a plan without add-ons and overrides, the most frequent case. A published version
 * never changes.
 */
const planTermsMemo = new WeakMap<Terms, Joined>();

/** The combined terms of a plan and add-ons, with the tenant's overrides applied. */
export function effectiveTerms(plan: Terms, addOns: readonly Terms[], overrides: Overrides): Joined {
	if (addOns.length > 0 || !isNothing(overrides)) return override(joinTerms([plan, ...addOns]), overrides);
	const known = planTermsMemo.get(plan) ?? override(joinTerms([plan]), overrides);
	planTermsMemo.set(plan, known);
	return { products: [...known.products], features: [...known.features], limits: { ...known.limits } };
}

const isNothing = ({ features, limits, products }: Overrides) =>
	products.length === 0 && Object.keys(features).length === 0 && Object.keys(limits).length === 0;

function override({ products, features, limits }: Joined, overrides: Overrides): Joined {
	const isOff = (code: string) => overrides.features[code] === false;
	const added = Object.keys(overrides.features).filter((code) => overrides.features[code] === true);
	return {
		products: expandProducts([...products, ...overrides.products]),
		features: [...new Set([...features, ...added])].filter((code) => !isOff(code)),
		limits: { ...limits, ...overrides.limits },
	};
}
