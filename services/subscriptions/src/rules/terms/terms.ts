import { products } from "@lango/contracts";
import type { Terms } from "../../catalogue/catalogue.ts";

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
