import type { Subscription } from "@lango/contracts";
import type { PastTerms } from "../record/past-terms.store.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import { unlimited } from "../rules/terms/terms.ts";
import type { Metric } from "../rules/usage/metric.ts";
import { type OveragePrice, overagePriceOf } from "../rules/usage/overage-price.ts";
import { type CountingWindow, periodAt, windowAt } from "../rules/usage/window.ts";
import { currentSnapshot, type TenantTerms } from "./tenant-terms.ts";

/** The inputs of one change of a counter. */
export type Basis = {
	metric: Metric;
	window: CountingWindow;
	/** The current value of the limit; -1: unlimited, null: the metric has no limit. */
	limitValue: number | null;
	/** The maximum of the counter; -1: unlimited. Includes the cap of paid overage. */
	ceiling: number;
	/** The start of the subscription's period, by which overage is billed. */
	periodStartsAt: Date;
	/** The key of a warning: each key is warned for once per percentage. */
	warnFor: string;
	price: OveragePrice | undefined;
};

/**
 * How a metric is counted for the time `at` when the current time is `now`: a pure function of the terms and
 * both times. A late report uses the terms of its time; if the terms changed within its window, the greatest
 * limit since then.
 */
export function basisOf(terms: TenantTerms, metric: Metric, { at, now }: { at: Date; now: Date }): Basis {
	const window = windowAt(metric.window, at, terms);
	const { limitValue, price } = boundIn(terms, metric, { window, at, now });
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

type Bound = { limitValue: number | null; price: OveragePrice | undefined };
type Times = { window: CountingWindow; at: Date; now: Date };

function boundIn(terms: TenantTerms, metric: Metric, { window, at, now }: Times): Bound {
	const { limit } = metric;
	if (limit === null) return { limitValue: null, price: undefined };
	const present = {
		limitValue: limitAt(currentSnapshot(terms, now), limit),
		price: priceAt(terms, metric, now),
	};
	// Limits on existing things always use the current terms.
	if (window.endsAt === null || !isBefore(terms, at, now)) return present;
	const ended = endedBy(terms, now);
	const bounds = ended
		.filter(({ endedAt }, index) => endedAt > at && beganBefore(ended[index - 1], window))
		.map((past) => ({
			limitValue: limitAt(past, limit),
			price: overagePriceOf(past.overage, limit, past.currency),
		}));
	if (beganBefore(ended.at(-1), window)) bounds.push(present);
	return bounds.reduce((greatest, one) => (sizeOf(one) > sizeOf(greatest) ? one : greatest));
}

/** Whether other terms than the current ones applied at a moment. */
function isBefore({ past, record: { pending } }: TenantTerms, at: Date, now: Date): boolean {
	const last = past.at(-1);
	if (last !== undefined && at < last.endedAt) return true;
	return pending?.from != null && pending.from <= now && at < pending.from;
}

/** The terms that have ended by now, oldest first, including a scheduled change that is not stored yet. */
function endedBy({ past, record, overage, currency }: TenantTerms, now: Date): readonly PastTerms[] {
	const endedAt = record.pending?.from ?? null;
	if (endedAt === null || endedAt > now) return past;
	const { limits } = snapshotAt(record, new Date(endedAt.getTime() - 1));
	return [...past, { endedAt, limits, overage, currency }];
}

/** Whether the terms after `before` began before the end of the window. */
const beganBefore = (before: PastTerms | undefined, { endsAt }: CountingWindow) =>
	before === undefined || endsAt === null || before.endedAt < endsAt;

const sizeOf = ({ limitValue }: Bound) =>
	limitValue === null || limitValue === unlimited ? Number.POSITIVE_INFINITY : limitValue;

/** The value of a limit; a missing limit is 0. */
function limitAt({ limits }: Pick<Subscription, "limits">, limit: string): number {
	return Object.hasOwn(limits, limit) ? (limits[limit] ?? 0) : 0;
}

/**
 * Limits on existing things (riders, administrators) have no overage: their window never ends, so it cannot
 * be billed.
 */
function priceAt(terms: TenantTerms, metric: Metric, now: Date): OveragePrice | undefined {
	if (metric.window === "standing" || metric.limit === null) return undefined;
	const { pending } = terms.record;
	const hasChanged = pending !== null && pending.from !== null && now >= pending.from;
	const [stored, currency] = hasChanged
		? [terms.pendingOverage, terms.pendingCurrency]
		: [terms.overage, terms.currency];
	return overagePriceOf(stored, metric.limit, currency);
}
