import { Page, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { listItemsMax } from "../template.ts";
import type { DigestWindow } from "./digest.store.ts";

/** How long a digest collects, in minutes. */
export const intervals = {
	...{ "15m": 15, "30m": 30, "1h": 60, "2h": 120, "4h": 240, "8h": 480, "12h": 720, "24h": 1_440 },
} as const;
/** In the order of ISO 8601: Monday is 1. */
export const weekdays = [
	...(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const),
] as const;

const LocalTime = Type.String({
	pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
	"x-error": "must be a time of day, such as 08:30",
	description: "In the recipient's time zone, else the tenant's",
});

/** How the messages of a rule are collected. Exactly one of `every`, `daily_at` and `weekly_at` is set. */
export const DigestTerms = Type.Object(
	{
		key: Type.Optional(
			Type.String({
				pattern: "^event(\\.[A-Za-z0-9_]{1,60}){1,7}$",
				"x-error": "must be a path: event.<member>",
				description: "Messages with different values at this path of the event are in different digests",
			}),
		),
		every: Type.Optional(
			Type.Enum(Object.keys(intervals) as (keyof typeof intervals)[], {
				type: "string",
				description: "Sent this long after the first message",
			}),
		),
		daily_at: Type.Optional(LocalTime),
		weekly_at: Type.Optional(
			Type.Object(
				{ day: Type.Enum([...weekdays], { type: "string" }), at: LocalTime },
				{ additionalProperties: false },
			),
		),
		items_max: Type.Integer({
			minimum: 2,
			maximum: listItemsMax,
			description: "A digest with this many messages is sent at once",
		}),
	},
	{ additionalProperties: false },
);
/** The terms are stored as the routes show them. */
export type DigestTerms = Static<typeof DigestTerms>;

const DateTime = Type.String({ format: "date-time" });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** An open digest as the routes show it. */
export const DigestWire = Type.Object({
	id: Uuid,
	trigger_id: OrNull(Uuid),
	trigger_name: OrNull(Type.String({ description: "Null: the rule was removed; the digest is still sent" })),
	channel: Type.String(),
	user_id: Uuid,
	user_name: Type.String(),
	key: Type.String({ description: "The value at the path of the rule; empty without one" }),
	items: Type.Integer({ description: "Messages so far" }),
	items_max: Type.Integer(),
	opened_at: DateTime,
	due_at: DateTime,
});
export const DigestPage = Page(DigestWire);

/** Returns a window as the routes show it. */
export const toDigestWire = (window: DigestWindow): Static<typeof DigestWire> => ({
	id: window.id,
	trigger_id: window.triggerId,
	trigger_name: window.triggerName,
	channel: window.channel,
	user_id: window.userId,
	user_name: window.userName,
	key: window.key,
	items: window.items,
	items_max: window.itemsMax,
	opened_at: window.openedAt.toISOString(),
	due_at: window.dueAt.toISOString(),
});
