import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	chassisFailures,
	listIn,
	originOf,
	outletsOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { normaliseAddress } from "../addresses/address.ts";
import { channels } from "../channel.ts";
import { failures } from "../failures.ts";
import { sources } from "../message.ts";
import type { Notifications } from "../parts.ts";
import { cancelMessage } from "./cancel-message.ts";
import { type FeedQuery, findMessage, listMessages } from "./feed.store.ts";
import { ChannelWire, MessagePage, MessageWire, StatusWire, toMessageWire } from "./message-wire.ts";

const tags = ["messages"];
const Params = Type.Object({ tenant: Type.String(), id: Uuid });
const DateTime = Type.String({ format: "date-time" });

const FeedQueryString = Type.Object({
	status: Type.Optional(StatusWire),
	channel: Type.Optional(ChannelWire),
	template: Type.Optional(Type.String({ maxLength: 101 })),
	category: Type.Optional(Type.String({ maxLength: 40 })),
	source: Type.Optional(Type.Enum([...sources], { type: "string" })),
	outlet: Type.Optional(Uuid),
	address: Type.Optional(
		Type.String({ maxLength: 4_096, description: "An address in clear, of any channel" }),
	),
	user_id: Type.Optional(Uuid),
	label: Type.Optional(
		Type.String({
			pattern: "^[^:]{1,60}:[\\s\\S]{0,200}$",
			"x-error": "must be <name>:<value>",
			description: "<name>:<value>",
		}),
	),
	from: Type.Optional(DateTime),
	to: Type.Optional(DateTime),
	cursor: PageQuery.cursor,
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
	...TotalQuery,
});

/** The routes of the feed of messages: reading, and cancelling. */
export const feedRoutes = (domain: Notifications): readonly Route[] => [
	...reading(domain),
	route({
		method: "POST",
		url: "/messages/:id/cancel",
		access: permit("notifications.messages.change"),
		schema: {
			summary: "Cancels the deliveries of a message that are still queued",
			tags,
			params: Params,
			response: {
				200: Type.Object({ cancelled: Type.Integer({ description: "How many deliveries were cancelled" }) }),
			},
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			const actor = actorOf(callerOf(request));
			const cancelled = await cancelMessage(domain, {
				...{ tenantId, id, outlets: outletsOf(request), by: actor.id },
				record: (tx, detail) =>
					recordAudit(tx, {
						...{ tenantId, at: domain.now(), actor, action: "message.cancelled", subject: id, detail },
						...originOf(request),
					}),
			});
			return { cancelled };
		},
	}),
];

const reading = (domain: Notifications): Route[] => [
	route({
		method: "GET",
		url: "/messages",
		access: permit("notifications.messages.view"),
		schema: {
			summary: "Lists messages, the newest first",
			tags,
			querystring: FeedQueryString,
			response: { 200: MessagePage },
		},
		handler: async (request) => {
			const { limit = 50, total: isCounted } = request.query;
			const region = (await domain.letterheads.get(tenantOf(request).id)).region;
			const query: FeedQuery = {
				...readQuery(domain, request.query, region),
				outlets: outletsOf(request),
				limit: limit + 1,
			};
			const { rows, ...total } = await listIn(domain, request, async (tx) => ({
				rows: await listMessages(tx, query),
				...(await totalOf(tx, isCounted, (all, page) => listMessages(all, { ...query, ...page }))),
			}));
			return { ...pageBy(rows, { limit, toWire: toMessageWire, keyOf: ({ id }) => id }), ...total };
		},
	}),
	route({
		method: "GET",
		url: "/messages/:id",
		access: permit("notifications.messages.view"),
		schema: { summary: "Returns a message", tags, params: Params, response: { 200: MessageWire } },
		handler: async (request) => {
			const query = { id: request.params.id, outlets: outletsOf(request) };
			const found = await inTenant(domain.db, tenantOf(request).id, (tx) => findMessage(tx, query));
			if (found === undefined) throw failures.message_not_found();
			return toMessageWire(found);
		},
	}),
];

function readQuery(
	{ vault }: Notifications,
	query: Static<typeof FeedQueryString>,
	region: string,
): Omit<FeedQuery, "outlets" | "limit"> {
	const { label, from, to, address, cursor, user_id: userId } = query;
	const divided = label?.indexOf(":") ?? -1;
	if (from !== undefined && to !== undefined && new Date(from) >= new Date(to))
		throw chassisFailures.invalid_input({
			message: "to must be after from.",
			fields: { field: "to", in: "query" },
		});
	return {
		...{ status: query.status, channel: query.channel, template: query.template },
		...{ category: query.category, source: query.source, userId },
		outletId: query.outlet ?? null,
		after: readKey(cursor, uuidForm),
		label: label === undefined ? undefined : [label.slice(0, divided), label.slice(divided + 1)],
		from: from === undefined ? undefined : new Date(from),
		to: to === undefined ? undefined : new Date(to),
		addressKeys:
			address === undefined
				? undefined
				: channels.flatMap((channel) => {
						const read = normaliseAddress(channel, address, region);
						return "ok" in read && read.ok.kind === "address" ? vault.keysOf(channel, read.ok.address) : [];
					}),
	};
}
