import { chassisFailures } from "@lango/chassis";
import type { NewOverage, OverageReported, UsageEvent, UsageReported } from "@lango/contracts";
import { failures } from "../failures.ts";
import { findMetric, type Metric } from "../rules/usage/metric.ts";
import { basisOf } from "./basis.ts";
import { type CountingParts, countByTerms, publishWarnings, timeOf } from "./counting.ts";
import { reportOverage, reportUsage } from "./usage.store.ts";

/**
 * The maximum age of a report. Its id is kept one day longer, so that a repeated report is either recognized
 * or too old, and never counted twice.
 */
export const reportedWithinMs = 7 * 24 * 3_600_000;
/** Tolerated clock difference. */
const aheadMs = 5 * 60_000;

/**
 * ReportUsage (spec §4.2): counts each event once by its id, in any order. Throws `metric_unknown` or
 * `invalid_input` for the first invalid event and then counts none.
 */
export async function report(
	parts: CountingParts,
	{ tenantId, events }: { tenantId: string; events: readonly UsageEvent[] },
): Promise<UsageReported> {
	const known = events.map((event, index) => ({
		event,
		at: new Date(event.at),
		metric: requireMetric(event.metric, `events.${index}.metric`),
	}));
	const counted = await countByTerms(parts, tenantId, async (terms) => {
		const now = timeOf(terms.record, parts.clock);
		for (const [index, { at }] of known.entries()) requireRecent(at, now, `events.${index}.at`);
		const given = known.map(({ event, at, metric }) => ({
			event,
			basis: basisOf(terms, metric, { at, now }),
		}));
		const counting = { tenantId, version: terms.record.version, now };
		const outcome = await reportUsage(parts.db, counting, given);
		return outcome.outcome === "stale" ? "stale" : outcome;
	});
	await publishWarnings(
		parts,
		counted.due.map((one) => ({ tenantId, ...one })),
	);
	return { accepted: counted.accepted, duplicates: events.length - counted.accepted };
}

/** ReportOverage (spec §4.2): records overage that the reporting service has counted. Throws as `report`. */
export async function reportOverageOf(
	parts: CountingParts,
	{ tenantId, overage }: { tenantId: string; overage: NewOverage },
): Promise<OverageReported> {
	const metric = requireMetric(overage.metric, "metric");
	return countByTerms(parts, tenantId, async (terms) => {
		const now = timeOf(terms.record, parts.clock);
		const at = overage.at === undefined ? now : new Date(overage.at);
		requireRecent(at, now, "at");
		const basis = basisOf(terms, metric, { at, now });
		const counting = { tenantId, version: terms.record.version, now };
		const { id, quantity } = overage;
		const outcome = await reportOverage(parts.db, counting, { id, quantity, at, basis });
		if (outcome === "stale") return outcome;
		return { recorded: outcome === "recorded", billed: basis.price !== undefined };
	});
}

/** The metric of this code. Throws `metric_unknown` with the name of the field. */
export function requireMetric(code: string, field: string, place = "body"): Metric {
	const metric = findMetric(code);
	if (metric === undefined) throw failures.metric_unknown({ fields: { field, in: place, metric: code } });
	return metric;
}

function requireRecent(at: Date, now: Date, field: string): void {
	const ageMs = now.getTime() - at.getTime();
	if (ageMs < reportedWithinMs && ageMs > -aheadMs) return;
	const message = `${field} must be within the last 7 days.`;
	throw chassisFailures.invalid_input({ message, fields: { field, in: "body" } });
}
