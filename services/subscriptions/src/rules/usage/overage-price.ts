/** What a unit beyond a limit costs, and how many of them a window may have. */
export type OveragePrice = { unitPriceMinor: number; currency: string; cap: number };

/** A plan's prices of overage as they are stored: by the limit it is beyond. */
export type StoredOverage = Readonly<Record<string, { unit_price_minor: number; cap: number }>>;

/** The price of what is beyond a limit; undefined where the plan has none, and beyond the limit there is nothing to be had. */
export function overagePriceOf(
	stored: StoredOverage,
	limit: string,
	currency: string,
): OveragePrice | undefined {
	const price = Object.hasOwn(stored, limit) ? stored[limit] : undefined;
	return price && { unitPriceMinor: price.unit_price_minor, currency, cap: price.cap };
}
