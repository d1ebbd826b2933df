import { Page, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { channels } from "../channel.ts";
import { DigestTerms } from "../digests/digest-wire.ts";
import { operators } from "./trigger.ts";
import type { RunView, TriggerView } from "./trigger-admin.store.ts";
import type { TriggerTerms } from "./trigger-problem.ts";

const Text = Type.String({ maxLength: 200 });
const Path = Type.String({
	pattern: "^[a-z][a-z0-9_]{0,39}(\\.[A-Za-z0-9_]{1,60}){0,7}$",
	"x-error": "must be a path: event.<member>",
	description: "event.<member of its data>, tenant.name, tenant.slug, recipient.name or time",
});

const Condition = Type.Object(
	{
		path: Path,
		op: Type.Enum([...operators], { type: "string" }),
		value: Type.Union([Text, Type.Number(), Type.Boolean(), Type.Array(Text, { maxItems: 50 })]),
	},
	{ additionalProperties: false },
);

const member = <const P extends Type.TProperties>(properties: P) =>
	Type.Object(properties, { additionalProperties: false });
const MapValue = Type.Union([
	member({ from: Path }),
	member({ value: Type.Union([Type.String({ maxLength: 2_000 }), Type.Number()]) }),
	member({
		money: Type.Tuple([Path, Path], {
			description: "The paths of an amount in minor units and of its currency",
		}),
	}),
]);

const recipient =
	"^(event\\.customer|event\\.user|event\\.email|role:[a-z][a-z0-9_-]{0,39}|user:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$";

/** What a tenant sends of its rule; `NewTrigger` has defaults. */
const terms = {
	name: Type.String({ minLength: 1, maxLength: 120 }),
	event: Type.String({ minLength: 1, maxLength: 120, description: "The type of the event" }),
	template: Type.String({
		minLength: 3,
		maxLength: 101,
		description: "The path of the template: <group>/<name>",
	}),
	channels: Type.Array(Type.Enum([...channels], { type: "string" }), {
		minItems: 1,
		maxItems: 5,
		uniqueItems: true,
	}),
	mode: Type.Enum(["all", "first"], {
		type: "string",
		description: "first: the next channel only if the one before is skipped or has no address",
	}),
	recipients: Type.Array(
		Type.String({
			pattern: recipient,
			"x-error": "must be event.customer, event.user, event.email, role:<role> or user:<id>",
		}),
		{ minItems: 1, maxItems: 20, uniqueItems: true },
	),
	conditions: Type.Array(Condition, { maxItems: 20, description: "All of them must hold" }),
	map: Type.Record(Type.String({ maxLength: 60 }), MapValue, {
		maxProperties: 50,
		description: "Every variable of the template: a path, a constant, or an amount",
	}),
	delay_seconds: Type.Integer({
		minimum: 0,
		maximum: 432_000,
		description: "At most 5 days: the event is erased after seven",
	}),
	enabled: Type.Boolean(),
	digest: Type.Union([DigestTerms, Type.Null()], {
		description:
			"Collects the messages to people of the tenant by e-mail and in the inbox; null: each is sent",
	}),
};

/** The body of a new rule. */
export const NewTrigger = {
	...terms,
	mode: Type.Optional(terms.mode),
	conditions: Type.Optional(terms.conditions),
	delay_seconds: Type.Optional(terms.delay_seconds),
	enabled: Type.Optional(terms.enabled),
	digest: Type.Optional(terms.digest),
};
/** The body of a change: what is left out stays. */
export const TriggerChange = Type.Partial(Type.Object(terms)).properties;

const DateTime = Type.String({ format: "date-time" });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A rule as the routes show it. */
export const TriggerWire = Type.Object({
	id: Uuid,
	is_platform: Type.Boolean({ description: "A rule of the platform: a tenant can only switch it off" }),
	name: Type.String(),
	event: Type.String(),
	template: Type.String(),
	channels: Type.Array(Type.String()),
	mode: Type.String(),
	sender: Type.String({ description: "tenant, or platform: exempt from the tenant's plan" }),
	recipients: Type.Array(Type.String()),
	conditions: Type.Array(Type.Unknown()),
	map: Type.Record(Type.String(), Type.Unknown()),
	delay_seconds: Type.Integer(),
	enabled: Type.Boolean(),
	digest: Type.Union([DigestTerms, Type.Null()]),
	people: Type.Array(Type.Object({ user_id: Uuid, name: Type.String() }), {
		description: "The names of those who are recipients as user:<id>, as far as they are known here",
	}),
	last_run: OrNull(
		Type.Object(
			{ status: Type.String(), messages: Type.Integer(), created_at: DateTime },
			{ description: "Its newest run; null: none in the last 90 days" },
		),
	),
	created_at: DateTime,
	updated_at: DateTime,
});
export const TriggerPage = Page(TriggerWire);

/** A run as the routes show it. */
const RunWire = Type.Object({
	id: Uuid,
	event_id: Uuid,
	event: Type.String(),
	status: Type.String({
		description: "waiting, sent, skipped (there are no recipients, or no message is sent) or failed",
	}),
	messages: Type.Integer({ description: "How many messages were made, with those that are not sent" }),
	first_messages: Type.Array(
		Type.Object({
			id: Uuid,
			channel: Type.String(),
			statuses: Type.Array(Type.String(), { description: "The states of its deliveries at this moment" }),
		}),
		{ description: "At most five; messages of the platform are not among them" },
	),
	replayable: Type.Boolean({ description: "Whether it failed and its event is stored" }),
	notes: Type.Array(
		Type.Object({
			channel: Type.Optional(Type.String()),
			reason: Type.String(),
			field: Type.Optional(Type.String()),
			recipients: Type.Optional(Type.Integer()),
		}),
		{ description: "Why no message is sent on a channel, or that it is collected in a digest" },
	),
	due_at: DateTime,
	created_at: DateTime,
	finished_at: OrNull(DateTime),
});
export const RunPage = Page(RunWire);

type Change = { [member in keyof typeof terms]?: Static<(typeof terms)[member]> | undefined };

/** Returns the terms of a rule after a change; `before` has the defaults of a new one. */
export function readTerms(
	{ event, delay_seconds, enabled, ...body }: Change,
	before: TriggerTerms,
): TriggerTerms {
	const changed = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
	return {
		...before,
		...changed,
		eventType: event ?? before.eventType,
		delaySeconds: delay_seconds ?? before.delaySeconds,
		isEnabled: enabled ?? before.isEnabled,
	};
}

/** Returns a rule as the routes show it. */
export const toTriggerWire = (trigger: TriggerView): Static<typeof TriggerWire> => ({
	id: trigger.id,
	is_platform: trigger.isPlatform,
	name: trigger.name,
	event: trigger.eventType,
	template: trigger.template,
	channels: [...trigger.channels],
	mode: trigger.mode,
	sender: trigger.sender,
	recipients: [...trigger.recipients],
	conditions: [...trigger.conditions],
	map: trigger.map,
	delay_seconds: trigger.delaySeconds,
	enabled: trigger.isEnabled,
	digest: trigger.digest,
	people: [...trigger.people],
	last_run: trigger.lastRun
		? {
				...{ status: trigger.lastRun.status, messages: trigger.lastRun.messages },
				created_at: trigger.lastRun.createdAt.toISOString(),
			}
		: null,
	created_at: trigger.createdAt.toISOString(),
	updated_at: trigger.updatedAt.toISOString(),
});

/** Returns a run as the routes show it. */
export const toRunWire = (run: RunView): Static<typeof RunWire> => ({
	id: run.id,
	event_id: run.eventId,
	event: run.eventType,
	status: run.status,
	messages: run.messages,
	first_messages: run.firstMessages.map(({ statuses, ...message }) => ({
		...message,
		statuses: [...statuses],
	})),
	replayable: run.isReplayable,
	notes: [...run.notes],
	due_at: run.dueAt.toISOString(),
	created_at: run.createdAt.toISOString(),
	finished_at: run.finishedAt?.toISOString() ?? null,
});
