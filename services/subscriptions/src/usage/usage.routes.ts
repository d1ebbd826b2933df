import { type Caller, callerOf, chassisFailures, permit, type Route, route, signedIn } from "@lango/chassis";
import {
	Consumption,
	FailureBody,
	FeatureAvailability,
	Limits,
	MetricCode,
	NewConsumption,
	NewOverage,
	OverageReported,
	Page,
	Usage,
	type UsageEvent,
	UsageId,
	UsageReport,
	UsageReported,
	Uuid,
} from "@lango/contracts";
import Type from "typebox";
import { hasRight, takeBackRight, usageRight } from "../rights.ts";
import { metrics } from "../rules/usage/metric.ts";
import { type Snapshots, snapshotOf } from "../snapshots/cached-snapshots.ts";
import { consume } from "./consume.ts";
import type { CountingParts } from "./counting.ts";
import { readUsage } from "./read-usage.ts";
import { report, reportOverageOf, requireMetric } from "./report.ts";
import { releaseUsage } from "./usage.store.ts";

const base = "/api/v1/tenants/:tenant_id";
const tags = ["usage"];
/** One hundred events with the maximum of metadata are at most 1.6 MB of JSON. */
const reportBytesMax = 2 * 1_024 * 1_024;
const refused = { "4xx": FailureBody, "5xx": FailureBody };
const Tenant = Type.Object({ tenant_id: Uuid });
const Current = Type.Object(
	{ period: Type.Enum(["current"], { type: "string", default: "current" }) },
	{ additionalProperties: false },
);

type UsageParts = { usage: CountingParts; snapshots: Snapshots };

/**
 * Usage, limits and features of a tenant (spec §4.2: HasFeature, GetLimits, GetUsage, ReportUsage,
 * ReportOverage).
 */
export const usageRoutes = ({ usage, snapshots }: UsageParts): readonly Route[] => [
	...entitlementRoutes(snapshots),
	...readingRoutes(usage),
	...reportingRoutes(usage),
	...consumingRoutes(usage),
];

const entitlementRoutes = (snapshots: Snapshots): Route[] => [
	route({
		method: "GET",
		url: `${base}/features/:code`,
		access: signedIn(),
		schema: {
			summary: "Check whether a feature is available to the tenant (HasFeature)",
			tags,
			params: Type.Object({ tenant_id: Uuid, code: MetricCode }),
			response: { 200: FeatureAvailability, ...refused },
		},
		handler: async ({ params: { tenant_id, code } }) => {
			const { features, plan } = snapshotOf(await snapshots.get(tenant_id));
			return { feature: code, available: features.includes(code), plan };
		},
	}),
	route({
		method: "GET",
		url: `${base}/limits`,
		access: signedIn(),
		schema: {
			summary: "Get the tenant's current limits (GetLimits)",
			tags,
			params: Tenant,
			response: { 200: Limits, ...refused },
		},
		handler: async ({ params }) => {
			const { plan, limits, version } = snapshotOf(await snapshots.get(params.tenant_id));
			return { plan, limits, version };
		},
	}),
];

const readingRoutes = (parts: CountingParts): Route[] => [
	route({
		method: "GET",
		url: `${base}/usage`,
		access: signedIn(),
		schema: {
			summary: "List the usage of all metrics in their current windows",
			tags,
			params: Tenant,
			response: { 200: Page(Usage), ...refused },
		},
		handler: async ({ params: { tenant_id: tenantId } }) => ({
			items: await readUsage(parts, { tenantId, metrics }),
			next_cursor: null,
		}),
	}),
	route({
		method: "GET",
		url: `${base}/usage/:metric`,
		access: signedIn(),
		schema: {
			summary: "Get the usage of one metric in its current window (GetUsage)",
			tags,
			params: Type.Object({ tenant_id: Uuid, metric: MetricCode }),
			querystring: Current,
			response: { 200: Usage, ...refused },
		},
		handler: async ({ params }, reply) => {
			const metric = requireMetric(params.metric, "metric", "params");
			const [usage] = await readUsage(parts, { tenantId: params.tenant_id, metrics: [metric] });
			if (usage === undefined) throw new Error(`nothing was read of ${metric.code}`);
			return reply.send(usage);
		},
	}),
];

const reportingRoutes = (parts: CountingParts): Route[] => [
	route({
		method: "POST",
		url: `${base}/usage`,
		bodyLimit: reportBytesMax,
		access: permit(usageRight),
		schema: {
			summary: "Report up to 100 usage events, each counted once by its id (ReportUsage)",
			description:
				"For services with an API key and administrators of the tenant. A negative value reverses usage; only services and the platform owner can send one. Ids are kept for 8 days.",
			tags,
			params: Tenant,
			body: UsageReport,
			response: { 200: UsageReported, ...refused },
		},
		handler: async (request) => {
			const { events } = request.body;
			requireTakeBackRight(callerOf(request), events);
			return report(parts, { tenantId: request.params.tenant_id.toLowerCase(), events });
		},
	}),
	route({
		method: "POST",
		url: `${base}/overage`,
		access: permit(usageRight),
		schema: {
			summary: "Report overage that the caller has counted (ReportOverage)",
			description:
				"For services with an API key and administrators of the tenant. Ids are shared with usage reports.",
			tags,
			params: Tenant,
			body: NewOverage,
			response: { 200: OverageReported, ...refused },
		},
		handler: async ({ params, body }) =>
			reportOverageOf(parts, { tenantId: params.tenant_id.toLowerCase(), overage: body }),
	}),
];

const consumingRoutes = (parts: CountingParts): Route[] => [
	route({
		method: "POST",
		url: `${base}/usage/consume`,
		access: permit(usageRight),
		schema: {
			summary: "Consume units of a limit if they are available, once per id",
			description:
				"For services without a counter of their own. Returns 403 `limit_reached`, naming the limit, if it would be exceeded.",
			tags,
			params: Tenant,
			body: NewConsumption,
			response: { 200: Consumption, ...refused },
		},
		handler: async ({ params, body }) =>
			consume(parts, { tenantId: params.tenant_id.toLowerCase(), consumption: body }),
	}),
	route({
		method: "DELETE",
		url: `${base}/usage/consume/:id`,
		access: permit(takeBackRight),
		schema: {
			summary: "Release what an id has consumed; an id released before it consumed can never consume",
			description:
				"For services with an API key and the platform owner, because a release lowers the tenant's bill.",
			tags,
			params: Type.Object({ tenant_id: Uuid, id: UsageId }),
			response: { 204: Type.Null(), ...refused },
		},
		handler: async ({ params: { tenant_id, id } }, reply) => {
			await releaseUsage(parts.db, { tenantId: tenant_id.toLowerCase(), id, now: parts.clock.now() });
			return reply.code(204).send(null);
		},
	}),
];

/** Overage is billed by these counters, so the tenant that is billed cannot lower them. */
function requireTakeBackRight(caller: Caller, events: readonly UsageEvent[]): void {
	const at = events.findIndex(({ value }) => value < 0);
	if (at >= 0 && !hasRight(caller, takeBackRight))
		throw chassisFailures.forbidden({ fields: { field: `events.${at}.value`, in: "body" } });
}
