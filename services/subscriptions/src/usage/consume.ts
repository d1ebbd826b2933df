import { chassisFailures, limitReached } from "@lango/chassis";
import type { Consumption, NewConsumption } from "@lango/contracts";
import { failures } from "../failures.ts";
import { basisOf } from "./basis.ts";
import { type CountingParts, countByTerms, publishWarnings, timeOf } from "./counting.ts";
import { requireMetric } from "./report.ts";
import { currentSnapshot } from "./tenant-terms.ts";
import { consumeUsage } from "./usage.store.ts";
import { usageToWire } from "./usage-wire.ts";

/**
 * Consumes units of a limit under an id: all of them or none, and once per id. Throws `limit_reached`,
 * `consumption_differs`, `consumption_released`, `metric_unknown`, `limit_differs`, `subscription_inactive`.
 */
export async function consume(
	parts: CountingParts,
	{ tenantId, consumption }: { tenantId: string; consumption: NewConsumption },
): Promise<Consumption> {
	const { id, limit, value } = consumption;
	const metric = requireMetric(consumption.metric, "metric");
	if (metric.limit !== limit)
		throw failures.limit_differs({ fields: { field: "limit", in: "body", limit: metric.limit } });
	const { usage, outcome } = await countByTerms(parts, tenantId, async (terms) => {
		const now = timeOf(terms.record, parts.clock);
		if (currentSnapshot(terms, now).access === "read_only") throw chassisFailures.subscription_inactive();
		const basis = basisOf(terms, metric, { at: now, now });
		const counting = { tenantId, version: terms.record.version, now };
		const outcome = await consumeUsage(parts.db, counting, { id, limit, value, basis });
		if (outcome.outcome === "stale") return "stale";
		const usage = usageToWire(basis, { ...outcome, timeZone: terms.timeZone });
		if (outcome.isDue)
			await publishWarnings(parts, [{ tenantId, metric: metric.code, windowKey: basis.window.key }]);
		return { usage, outcome: outcome.outcome };
	});
	if (outcome === "differs") throw failures.consumption_differs({ fields: { field: "id", in: "body" } });
	if (outcome === "released") throw failures.consumption_released({ fields: { field: "id", in: "body" } });
	if (outcome === "limit_reached")
		throw limitReached(limit, usage.limit_value, { used: usage.used, metric: metric.code });
	return { id, value, repeated: outcome === "repeated", usage };
}
