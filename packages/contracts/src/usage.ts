import Type, { type Static } from "typebox";
import { Shape } from "./shape.ts";

/** What usage is named by: the id a report or a consumption is counted once under; it is the caller's to choose. */
export const UsageId = Type.String({
	pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$",
	description: "Chosen by the caller; what comes again under the same id has no second effect",
});
export const MetricCode = Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" });

const most = 1_000_000_000;
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

/** No database keeps a NUL, or half of a pair of surrogates; a name has no control characters at all. */
const MetadataName = Type.String({ pattern: "^[^\\p{Cc}\\p{Cs}]{1,64}$" });
const MetadataText = Type.String({ maxLength: 200, pattern: "^[^\\u0000\\p{Cs}]*$" });

/** One report of usage (spec §4.2, ReportUsage); a negative value takes back. */
export const UsageEvent = Shape({
	id: UsageId,
	metric: MetricCode,
	value: Type.Integer({ minimum: -most, maximum: most, description: "Added to the counter" }),
	at: Type.String({
		format: "date-time",
		maxLength: 40,
		description: "When it was used: at most 7 days ago",
	}),
	metadata: Type.Optional(
		Type.Record(MetadataName, Type.Union([MetadataText, Type.Number(), Type.Boolean()]), {
			maxProperties: 10,
			additionalProperties: false,
		}),
	),
});
export type UsageEvent = Static<typeof UsageEvent>;

/** `POST …/usage`: all of the events or, when one of them is wrong, none. */
export const UsageReport = Shape({ events: Type.Array(UsageEvent, { minItems: 1, maxItems: 100 }) });
export const UsageReported = Type.Object({
	accepted: Type.Integer({ description: "Counted now" }),
	duplicates: Type.Integer({ description: "Of an id that was counted before" }),
});
export type UsageReported = Static<typeof UsageReported>;

/** `POST …/usage/consume`: so much of a limit, at once and only if it fits. */
export const NewConsumption = Shape({
	id: UsageId,
	limit: MetricCode,
	metric: MetricCode,
	value: Type.Integer({ minimum: 1, maximum: most }),
});
export type NewConsumption = Static<typeof NewConsumption>;

/** `POST …/overage` (spec §4.2, ReportOverage): used beyond a limit, as counted by the service that tells of it. */
export const NewOverage = Shape({
	id: UsageId,
	metric: MetricCode,
	quantity: Type.Integer({ minimum: 1, maximum: most }),
	at: Type.Optional(Type.String({ format: "date-time", description: "Now when absent; at most 7 days ago" })),
});
export type NewOverage = Static<typeof NewOverage>;
export const OverageReported = Type.Object({
	recorded: Type.Boolean({ description: "False: that id was recorded before" }),
	billed: Type.Boolean({ description: "Whether the plan has a price for it" }),
});
export type OverageReported = Static<typeof OverageReported>;

/** Over which time a metric is counted. */
export const usageWindows = ["day", "period", "standing"] as const;
export type UsageWindow = (typeof usageWindows)[number];

/** How a metric stands in the current window (spec §4.2, GetUsage). */
export const Usage = Type.Object({
	metric: Type.String(),
	used: Type.Integer(),
	limit: OrNull(Type.String({ description: "The limit that bounds it; null: none does" })),
	limit_value: OrNull(Type.Integer({ description: "-1: unlimited" })),
	remaining: OrNull(Type.Integer({ description: "Null: nothing bounds it" })),
	overage: Type.Integer({ description: "Used beyond the limit" }),
	window: Type.Enum(usageWindows, {
		type: "string",
		description:
			"day: a day of the tenant's time zone; period: of the subscription; standing: what there is, until given back",
	}),
	starts_at: OrNull(DateTime),
	ends_at: OrNull(DateTime),
	time_zone: Type.String(),
});
export type Usage = Static<typeof Usage>;

/** What was consumed, and how the metric stands since. */
export const Consumption = Type.Object({
	id: Type.String(),
	value: Type.Integer(),
	repeated: Type.Boolean({ description: "True: that id had consumed it before, and nothing more was taken" }),
	usage: Usage,
});
export type Consumption = Static<typeof Consumption>;

/** `GET …/limits` (spec §4.2, GetLimits). */
export const Limits = Type.Object({
	plan: Type.String(),
	limits: Type.Record(Type.String(), Type.Integer(), {
		description: "A limit that is absent means 0, -1 means unlimited",
	}),
	version: Type.Integer(),
});

/** `GET …/features/{code}` (spec §4.2, HasFeature). */
export const FeatureAvailability = Type.Object({
	feature: Type.String(),
	available: Type.Boolean(),
	plan: Type.String(),
});
