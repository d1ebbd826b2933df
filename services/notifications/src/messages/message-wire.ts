import { Page, Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { channels } from "../channel.ts";
import { deliveryStatuses } from "../delivery.ts";
import { classes, sources } from "../message.ts";
import type { FeedMessage } from "./feed.store.ts";

const Label = Type.String({ maxLength: 200 });

/** The body of `POST /messages` (§2.1); the members after `metadata` are ours. */
export const NewMessageBody = Shape({
	channel: Type.Enum([...channels], { type: "string", description: "in_app: the inbox of the suite" }),
	template: Type.String({
		pattern: "^[a-z][a-z0-9_]{0,39}/[a-z][a-z0-9_]{0,59}$",
		"x-error": "must be the path of a template: <group>/<name>",
		description: "The path of the template without the channel: <group>/<name>",
	}),
	to: Type.Array(Type.String({ minLength: 1, maxLength: 4_096 }), {
		minItems: 1,
		maxItems: 1_000,
		description: "E-mail addresses, phone numbers, device tokens, or user:<id>; each once",
	}),
	data: Type.Record(Type.String({ maxLength: 60 }), Type.Unknown(), {
		description: "The template's variables; at most 32 KB as JSON",
	}),
	metadata: Type.Optional(
		Type.Object(
			{
				subject: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Of an e-mail" })),
				provider: Type.Optional(
					Type.String({ minLength: 1, maxLength: 60, description: "The name or the id of a provider" }),
				),
				push_title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
			},
			{ additionalProperties: Label, maxProperties: 23, description: "Other members are labels, at most 20" },
		),
	),
	locale: Type.Optional(
		Type.String({ maxLength: 35, description: "A language tag: en, sw, en-KE. Default: the recipient's" }),
	),
	send_at: Type.Optional(
		Type.String({ format: "date-time", description: "At most 90 days ahead; a time in the past means now" }),
	),
	expires_at: Type.Optional(
		Type.String({
			format: "date-time",
			description: "When it is no longer of use; not sent after that. At most 30 days after it is sent",
		}),
	),
	events: Type.Optional(
		Type.Enum(["deliveries"], {
			type: "string",
			description: "Publish notifications.delivery.changed for each delivery",
		}),
	),
});

/** The answer of `POST /messages` (§2.1). */
export const AcceptedWire = Type.Object({
	status: Type.Literal("accepted"),
	requestId: Type.String({ format: "uuid", description: "The id of the message" }),
});

const DateTime = Type.String({ format: "date-time" });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const ChannelWire = Type.Enum([...channels], { type: "string" });
export const StatusWire = Type.Enum([...deliveryStatuses], { type: "string" });

/** A message as the feed shows it. */
export const MessageWire = Type.Object({
	id: Uuid,
	tenant_id: Type.String({ format: "uuid", description: "The tenant that sends it" }),
	source: Type.Enum([...sources], { type: "string" }),
	channel: ChannelWire,
	class: Type.Enum([...classes], { type: "string" }),
	category: Type.String(),
	template: Type.String(),
	labels: Type.Record(Type.String(), Type.String()),
	outlet_id: OrNull(Uuid),
	requested_by: Type.Object({ kind: Type.String(), id: Type.String() }),
	about_tenant_id: OrNull(Uuid),
	resend_of: OrNull(Uuid),
	send_at: DateTime,
	expires_at: DateTime,
	created_at: DateTime,
	recipients: Type.Integer(),
	pending: Type.Integer({ description: "Deliveries that are neither sent nor ended" }),
	counts: Type.Record(Type.String(), Type.Integer(), { description: "Deliveries by status" }),
});
export const MessagePage = Page(MessageWire);

/** Returns a message as the feed shows it. */
export function toMessageWire(message: FeedMessage): Static<typeof MessageWire> {
	return {
		id: message.id,
		tenant_id: message.tenantId,
		source: message.source,
		channel: message.channel,
		class: message.messageClass,
		category: message.category,
		template: message.template,
		labels: message.labels,
		outlet_id: message.outletId,
		requested_by: message.requester,
		about_tenant_id: message.aboutTenantId,
		resend_of: message.resendOf,
		send_at: message.sendAt.toISOString(),
		expires_at: message.expiresAt.toISOString(),
		created_at: message.createdAt.toISOString(),
		recipients: message.recipients,
		pending: message.pending,
		counts: message.counts,
	};
}
