import Type, { type Static } from "typebox";
import { Shape } from "../values/shape.ts";

/** The idempotency key of a usage report or a consumption, chosen by the caller. */
export const UsageId = Type.String({
	pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$",
	"x-error": "must have 1 to 100 letters, digits and . _ : -, and begin with a letter or digit",
	description: "Chosen by the caller; a repeated id has no second effect",
});
export const MetricCode = Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" });

const most = 1_000_000_000;
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

/** PostgreSQL cannot store NUL or unpaired surrogates. Names have no control characters at all. */
const MetadataName = Type.String({ pattern: "^[^\\p{Cc}\\p{Cs}]{1,64}$" });
const MetadataText = Type.String({ maxLength: 200, pattern: "^[^\\u0000\\p{Cs}]*$" });

/** One usage event (spec §4.2, ReportUsage). A negative value takes usage back. */
export const UsageEvent = Shape({
	id: UsageId,
	metric: MetricCode,
	value: Type.Integer({
		minimum: -most,
		maximum: most,
		description: "Added to the counter; may be negative",
	}),
	at: Type.String({
		format: "date-time",
		maxLength: 40,
		description: "Time of the usage, at most 7 days ago",
	}),
	metadata: Type.Optional(
		Type.Record(MetadataName, Type.Union([MetadataText, Type.Number(), Type.Boolean()]), {
			maxProperties: 10,
			additionalProperties: false,
		}),
	),
});
export type UsageEvent = Static<typeof UsageEvent>;

/** `POST …/usage`: all events are recorded, or none if one of them is invalid. */
export const UsageReport = Shape({ events: Type.Array(UsageEvent, { minItems: 1, maxItems: 100 }) });
export const UsageReported = Type.Object({
	accepted: Type.Integer({ description: "Events counted now" }),
	duplicates: Type.Integer({ description: "Events whose id was counted before" }),
});
export type UsageReported = Static<typeof UsageReported>;

/** `POST …/usage/consume`: consumes a part of a limit atomically, if enough is left. */
export const NewConsumption = Shape({
	id: UsageId,
	limit: MetricCode,
	metric: MetricCode,
	value: Type.Integer({ minimum: 1, maximum: most }),
});
export type NewConsumption = Static<typeof NewConsumption>;

/**
 * `POST …/overage` (spec §4.2, ReportOverage): usage beyond a limit, as counted by the reporting service.
 */
export const NewOverage = Shape({
	id: UsageId,
	metric: MetricCode,
	quantity: Type.Integer({ minimum: 1, maximum: most }),
	at: Type.Optional(Type.String({ format: "date-time", description: "At most 7 days ago. Default: now" })),
});
export type NewOverage = Static<typeof NewOverage>;
export const OverageReported = Type.Object({
	recorded: Type.Boolean({ description: "False if the id was recorded before" }),
	billed: Type.Boolean({ description: "Whether the plan has a price for this overage" }),
});
export type OverageReported = Static<typeof OverageReported>;

/** The window in which a metric is counted. */
export const usageWindows = ["day", "period", "standing"] as const;
export type UsageWindow = (typeof usageWindows)[number];

/** The state of a metric in the current window (spec §4.2, GetUsage). */
export const Usage = Type.Object({
	metric: Type.String(),
	used: Type.Integer(),
	limit: OrNull(Type.String({ description: "The limit of the metric; null if it has none" })),
	limit_value: OrNull(Type.Integer({ description: "-1: unlimited" })),
	remaining: OrNull(Type.Integer({ description: "Null if the metric has no limit" })),
	overage: Type.Integer({ description: "Usage beyond the limit" }),
	window: Type.Enum(usageWindows, {
		type: "string",
		description:
			"day: a day in the tenant's time zone; period: a period of the subscription; standing: the current amount, until it is released",
	}),
	starts_at: OrNull(DateTime),
	ends_at: OrNull(DateTime),
	time_zone: Type.String(),
});
export type Usage = Static<typeof Usage>;

/** A consumption, with the state of the metric after it. */
export const Consumption = Type.Object({
	id: Type.String(),
	value: Type.Integer(),
	repeated: Type.Boolean({ description: "True if the id was consumed before; nothing more was consumed" }),
	usage: Usage,
});
export type Consumption = Static<typeof Consumption>;

/** `GET …/limits` (spec §4.2, GetLimits). */
export const Limits = Type.Object({
	plan: Type.String(),
	limits: Type.Record(Type.String(), Type.Integer(), {
		description: "A missing limit means 0, -1 means unlimited",
	}),
	version: Type.Integer(),
});

/** `GET …/features/{code}` (spec §4.2, HasFeature). */
export const FeatureAvailability = Type.Object({
	feature: Type.String(),
	available: Type.Boolean(),
	plan: Type.String(),
});
