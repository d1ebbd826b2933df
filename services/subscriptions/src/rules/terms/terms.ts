import { type BillingInterval, products } from "@lango/contracts";

/** What plans and add-ons have in common: what they hold. */
export type Terms = {
	products: readonly string[];
	features: readonly string[];
	limits: Readonly<Record<string, number>>;
};

/** What they cost, in lowest units, each interval anew. */
export type Price = { priceMinor: bigint; currency: string; interval: BillingInterval };

/** What replaces what the plan and the add-ons hold: features on or off, limits, further products. */
export type Overrides = {
	features: Readonly<Record<string, boolean>>;
	limits: Readonly<Record<string, number>>;
	products: readonly string[];
};

/** A limit of this value is none at all. */
export const unlimited = -1;

/** The products behind a list that may contain `*`, all of them; in the order of the contract, which alone knows what products there are. */
export function expandProducts(listed: readonly string[]): string[] {
	return products.filter((product) => listed.includes("*") || listed.includes(product));
}

/** What a plan and its add-ons hold together: each feature and product once, limits added up, unlimited where any of them is. */
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

/** What most tenants have, a plan and nothing else, joined once: what a published version holds is never changed. */
const planTermsMemo = new WeakMap<Terms, Joined>();

/** What a plan and add-ons hold together, with what was set for the tenant alone. */
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
