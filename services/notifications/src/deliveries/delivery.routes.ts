import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	numberForm,
	originOf,
	outletsOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	totalOf,
} from "@lango/chassis";
import { Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { failures } from "../failures.ts";
import { acceptOr503 } from "../messages/accept-or-503.ts";
import { findMessage } from "../messages/feed.store.ts";
import { AcceptedWire, ChannelWire, StatusWire } from "../messages/message-wire.ts";
import { requesterOf } from "../messages/requester.ts";
import type { Notifications } from "../parts.ts";
import { listPauses } from "../reputation/reputation.store.ts";
import {
	type DeliveryView,
	findAddress,
	findDelivery,
	listDeliveries,
	listTimeline,
} from "./delivery.store.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { waitingTime, withPauses, withSkip } from "./timeline.ts";

const tags = ["deliveries"];
const Params = Type.Object({ tenant: Type.String(), id: Uuid });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

const DeliveryWire = Type.Object({
	id: Uuid,
	message_id: Uuid,
	channel: ChannelWire,
	address_masked: Type.String(),
	user_id: OrNull(Uuid),
	status: StatusWire,
	attempt: Type.Integer(),
	due_at: DateTime,
	expires_at: DateTime,
	provider: OrNull(Type.String()),
	provider_kind: OrNull(Type.String()),
	segments: Type.Integer({ description: "Of an SMS" }),
	error_class: OrNull(Type.String()),
	error_code: OrNull(Type.String()),
	created_at: DateTime,
	sent_at: OrNull(DateTime),
	final_at: OrNull(DateTime),
});
const DeliveryDetailWire = Type.Object({
	...DeliveryWire.properties,
	timeline: Type.Array(
		Type.Object({
			at: DateTime,
			kind: Type.Enum(["decision", "attempt", "report"], { type: "string" }),
			detail: Type.Record(Type.String(), Type.Unknown()),
		}),
		{ description: "The newest 200 entries, the oldest first" },
	),
});

/** The routes of deliveries: reading, the address in clear, and sending again. */
export const deliveryRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	showing(domain),
	revealing(domain),
	resending(domain),
];

const listing = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/messages/:id/deliveries",
		access: permit("notifications.messages.view"),
		schema: {
			summary: "Lists the deliveries of a message in the order of its recipients",
			tags,
			params: Params,
			querystring: Type.Object({
				status: Type.Optional(StatusWire),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(DeliveryWire) },
		},
		handler: async (request) => {
			const { status, cursor, limit = 50, total: isCounted } = request.query;
			const messageId = request.params.id;
			const outlets = outletsOf(request);
			const after = Number(readKey(cursor, numberForm) ?? -1);
			const query = { messageId, outlets, status };
			return inTenant(db, tenantOf(request).id, async (tx) => {
				if ((await findMessage(tx, { id: messageId, outlets })) === undefined)
					throw failures.message_not_found();
				const found = await listDeliveries(tx, { ...query, after, limit: limit + 1 });
				return {
					...pageBy(found, { limit, toWire, keyOf: ({ position }) => String(position) }),
					...(await totalOf(tx, isCounted, (all, page) =>
						listDeliveries(all, { ...query, after: -1, limit: page.limit }),
					)),
				};
			});
		},
	});

const showing = ({ db, now }: Notifications): Route =>
	route({
		method: "GET",
		url: "/deliveries/:id",
		access: permit("notifications.messages.view"),
		schema: {
			summary: "Returns a delivery with its timeline",
			tags,
			params: Params,
			response: { 200: DeliveryDetailWire },
		},
		handler: async (request) => {
			const query = { id: request.params.id, outlets: outletsOf(request) };
			return inTenant(db, tenantOf(request).id, async (tx) => {
				const found = await findDelivery(tx, query);
				if (found === undefined) throw failures.delivery_not_found();
				const timeline = await listTimelineOf(tx, found, now());
				return {
					...toWire(found),
					timeline: timeline.map(({ at, kind, detail }) => ({
						at: at.toISOString(),
						kind: kind as "decision" | "attempt" | "report",
						detail: { ...detail },
					})),
				};
			});
		},
	});

async function listTimelineOf(tx: Database, delivery: DeliveryView, now: Date) {
	const timeline = withSkip(await listTimeline(tx, delivery.id), delivery);
	if (delivery.channel !== "email" || delivery.messageClass === "urgent") return timeline;
	const waiting = waitingTime(delivery, now);
	return withPauses(timeline, await listPauses(tx, waiting), waiting);
}

const revealing = ({ db, vault, now }: Notifications): Route =>
	route({
		method: "GET",
		url: "/deliveries/:id/address",
		access: permit("notifications.messages.manage"),
		schema: {
			summary: "Returns the address of a delivery in clear, and records that in the audit log",
			description: "The token of a device is a secret, and not shown.",
			tags,
			params: Params,
			response: { 200: Type.Object({ address: Type.String() }) },
		},
		handler: async (request) => {
			const tenantId = tenantOf(request).id;
			const query = { id: request.params.id, outlets: outletsOf(request) };
			const sealed = await inTenant(db, tenantId, async (tx) => {
				const delivery = await findDelivery(tx, query);
				if (delivery === undefined) throw failures.delivery_not_found();
				if (delivery.channel === "push") throw failures.address_secret();
				const found = await findAddress(tx, query);
				if (found === undefined) throw failures.data_gone();
				await recordAudit(tx, {
					...{ tenantId, at: now(), actor: actorOf(callerOf(request)), action: "address.revealed" },
					...{ subject: query.id, detail: {}, ...originOf(request) },
				});
				return found;
			});
			return { address: vault.openAddress(sealed) };
		},
	});

const resending = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/deliveries/:id/resend",
		access: permit("notifications.messages.change"),
		schema: {
			summary: "Sends a delivery again that ended without arriving",
			description:
				"A new message to the same address, with the template in force now. A delivery is sent again once: a further request returns the same message.",
			tags,
			params: Params,
			body: Shape({
				may_duplicate: Type.Optional(
					Type.Boolean({
						default: false,
						description: "Required if the outcome is unknown: the message may arrive twice",
					}),
				),
			}),
			response: { 202: AcceptedWire },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			const record = (tx: Database, message: { id: string }) =>
				recordAudit(tx, {
					...{ tenantId, at: domain.now(), actor: actorOf(callerOf(request)), action: "delivery.resent" },
					...{ subject: id, detail: { message_id: message.id }, ...originOf(request) },
				});
			const accepted = await acceptOr503(
				resendDelivery(domain, {
					...{ tenantId, id, record },
					outlets: outletsOf(request),
					mayDuplicate: request.body.may_duplicate === true,
					...requesterOf(callerOf(request)),
				}),
			);
			if (accepted.isReplayed) reply.header("idempotency-replayed", "true");
			return reply.code(202).send({ status: "accepted", requestId: accepted.messageId } as const);
		},
	});

function toWire(delivery: DeliveryView): Static<typeof DeliveryWire> {
	return {
		id: delivery.id,
		message_id: delivery.messageId,
		channel: delivery.channel,
		address_masked: delivery.addressMasked,
		user_id: delivery.userId,
		status: delivery.status,
		attempt: delivery.attempt,
		due_at: delivery.dueAt.toISOString(),
		expires_at: delivery.expiresAt.toISOString(),
		provider: delivery.provider,
		provider_kind: delivery.providerKind,
		segments: delivery.segments,
		error_class: delivery.errorClass,
		error_code: delivery.errorCode,
		created_at: delivery.createdAt.toISOString(),
		sent_at: delivery.sentAt?.toISOString() ?? null,
		final_at: delivery.finalAt?.toISOString() ?? null,
	};
}
