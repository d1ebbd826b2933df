import type { Subscription } from "@lango/contracts";
import { unlimited } from "../catalogue/terms.ts";
import type { Metric } from "./metric.ts";
import { type OveragePrice, overagePriceOf } from "./overage-price.ts";
import { standingOf, type TenantTerms } from "./tenant-terms.ts";
import { type CountingWindow, periodAt, windowAt } from "./window.ts";

/** What one change of a counter goes by. */
export type Basis = {
	metric: Metric;
	window: CountingWindow;
	/** The value of the limit that bounds the metric now; -1: unlimited, null: none bounds it. */
	limitValue: number | null;
	/** What the counter may not pass; -1: nothing bounds it. Where overage has a price, its cap comes on top. */
	ceiling: number;
	/** When the subscription's period began: overage is billed by it. */
	periodStartsAt: Date;
	/** Warnings are given once for each of these. */
	warnFor: string;
	price: OveragePrice | undefined;
};

/** How a metric is counted at `at`, by what holds at `now`: a pure function of the terms and the two times. */
export function basisOf(terms: TenantTerms, metric: Metric, { at, now }: { at: Date; now: Date }): Basis {
	const window = windowAt(metric.window, at, terms);
	const limitValue = metric.limit === null ? null : limitAt(standingOf(terms, now), metric.limit);
	const price = priceAt(terms, metric, now);
	const period = periodAt(at, terms);
	const isBounded = limitValue !== null && limitValue !== unlimited;
	return {
		metric,
		window,
		limitValue,
		ceiling: isBounded ? limitValue + (price?.cap ?? 0) : -1,
		periodStartsAt: period.startsAt,
		warnFor: metric.window === "standing" ? `period:${period.startsAt.toISOString()}` : window.key,
		price,
	};
}

/** The value of a limit in a snapshot; one that is absent means none of it. */
function limitAt({ limits }: Subscription, limit: string): number {
	return Object.hasOwn(limits, limit) ? (limits[limit] ?? 0) : 0;
}

/** What stands (riders, administrators) has no overage: there is no window whose end it would be billed at. */
function priceAt(terms: TenantTerms, metric: Metric, now: Date): OveragePrice | undefined {
	if (metric.window === "standing" || metric.limit === null) return undefined;
	const { pending } = terms.record;
	const hasChanged = pending !== null && pending.from !== null && now >= pending.from;
	const [stored, currency] = hasChanged
		? [terms.pendingOverage, terms.pendingCurrency]
		: [terms.overage, terms.currency];
	return overagePriceOf(stored, metric.limit, currency);
}
