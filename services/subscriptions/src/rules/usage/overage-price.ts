/** The price of one unit beyond a limit, and the maximum number of units per window. */
export type OveragePrice = { unitPriceMinor: number; currency: string; cap: number };

/** A plan's overage prices as they are stored, by the limit they exceed. */
export type StoredOverage = Readonly<Record<string, { unit_price_minor: number; cap: number }>>;

/** The price of units beyond a limit; undefined if the plan sells none. */
export function overagePriceOf(
	stored: StoredOverage,
	limit: string,
	currency: string,
): OveragePrice | undefined {
	const price = Object.hasOwn(stored, limit) ? stored[limit] : undefined;
	return price && { unitPriceMinor: price.unit_price_minor, currency, cap: price.cap };
}
