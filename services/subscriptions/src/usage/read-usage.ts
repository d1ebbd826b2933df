import { Failure } from "@lango/chassis";
import type { Usage } from "@lango/contracts";
import { metrics as allMetrics, type Metric } from "../rules/usage/metric.ts";
import { basisOf } from "./basis.ts";
import { type CountingParts, timeOf } from "./counting.ts";
import { findCounters } from "./usage.store.ts";
import { usageToWire } from "./usage-wire.ts";

/**
 * GetUsage (spec §4.2): the usage of metrics in their current windows, as stored now. Throws
 * `no_subscription`.
 */
export async function readUsage(
	{ db, clock, terms: cached }: CountingParts,
	{ tenantId, metrics }: { tenantId: string; metrics: readonly Metric[] },
): Promise<Usage[]> {
	const terms = await cached.read(tenantId);
	const time = timeOf(terms.record, clock);
	const bases = metrics.map((metric) => basisOf(terms, metric, { at: time, now: time }));
	const wanted = bases.map(({ metric, window }) => ({ metric: metric.code, windowKey: window.key }));
	const counters = await findCounters(db, tenantId, wanted);
	return bases.map((basis) => {
		const counter = counters.get(`${basis.metric.code} ${basis.window.key}`);
		return usageToWire(basis, {
			used: counter?.used ?? 0,
			overage: counter?.overage ?? 0,
			timeZone: terms.timeZone,
		});
	});
}

/** The current usage of each limit that is counted here; empty without a subscription. */
export async function readLimitsUsed(
	parts: CountingParts,
	tenantId: string,
): Promise<Record<string, number>> {
	const bounded = allMetrics.filter(({ limit }) => limit !== null);
	const usages = await readUsage(parts, { tenantId, metrics: bounded }).catch((error) => {
		if (error instanceof Failure && error.code === "no_subscription") return [];
		throw error;
	});
	return Object.fromEntries(usages.flatMap(({ limit, used }) => (limit === null ? [] : [[limit, used]])));
}
