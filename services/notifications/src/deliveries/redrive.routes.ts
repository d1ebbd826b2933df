import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	chassisFailures,
	originOf,
	outletsOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { failures } from "../failures.ts";
import { ChannelWire } from "../messages/message-wire.ts";
import { requesterOf } from "../messages/requester.ts";
import type { Notifications } from "../parts.ts";
import { findRedrive, listRedrives } from "./redrive.store.ts";
import type { Redrive } from "./redrive.ts";
import { resendable } from "./resend-delivery.ts";
import { startRedrive } from "./start-redrive.ts";

const tags = ["deliveries"];
const DateTime = Type.String({ format: "date-time" });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const filter = {
	status: Type.Array(Type.Enum([...resendable], { type: "string" }), {
		minItems: 1,
		uniqueItems: true,
		maxItems: resendable.length,
		description: "How they ended",
	}),
	channel: Type.Optional(ChannelWire),
	template: Type.Optional(Type.String({ minLength: 1, maxLength: 101 })),
	category: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
	error_code: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
	provider_id: Type.Optional(Uuid),
	message_id: Type.Optional(Uuid),
	from: Type.Optional(Type.String({ format: "date-time", description: "They ended then or later" })),
	to: Type.Optional(Type.String({ format: "date-time", description: "They ended before" })),
};

const RedriveWire = Type.Object({
	id: Uuid,
	filter: Type.Object(filter),
	may_duplicate: Type.Boolean(),
	requested_by: Type.Object({ kind: Type.String(), id: Type.String() }),
	status: Type.Enum(["running", "finished", "stopped"], { type: "string" }),
	reason: OrNull(Type.String({ description: "Why it was stopped" })),
	matched: Type.Integer({ description: "Deliveries of the filter when it was requested" }),
	left_out: Type.Integer({ description: "Of these with an unknown outcome, without may_duplicate" }),
	counts: Type.Record(Type.String(), Type.Integer(), {
		description: "So far: accepted as new messages, and refused by the code of the refusal",
	}),
	created_at: DateTime,
	updated_at: DateTime,
	finished_at: OrNull(DateTime),
});

const ofTheTenant = tenantWide("a redrive has counts only");

/** The routes of redrives: sending the deliveries of a filter again, and how far that is. */
export const redriveRoutes = (domain: Notifications): readonly Route[] => [
	starting(domain),
	...reading(domain),
];

const starting = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/deliveries/redrive",
		access: permit("notifications.messages.change"),
		schema: {
			summary: "Sends every delivery of a filter again that ended without arriving, at most 10,000",
			description:
				"Each becomes a new message to the same address, with the template in force now. A job does that in the order in which they ended, and leaves half of the channel's limit to other messages; the redrive shows how far it is. Deliveries that were sent again before, and those that end after the request, are not part of it. Deliveries with an unknown outcome are left out unless may_duplicate is true. The same request while the first one is not finished, or with the same Idempotency-Key, returns the first one. The limit of e-mails per day stops a redrive.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Chosen by the caller" }),
				),
			}),
			body: Shape({
				...filter,
				may_duplicate: Type.Optional(
					Type.Boolean({
						default: false,
						description: "Also those with an unknown outcome: they may arrive twice",
					}),
				),
			}),
			response: { 202: RedriveWire },
		},
		handler: async (request, reply) => {
			const { may_duplicate: mayDuplicate = false, ...narrowing } = request.body;
			const { from, to } = narrowing;
			if (from !== undefined && to !== undefined && new Date(from) >= new Date(to))
				throw chassisFailures.invalid_input({
					message: "to must be after from.",
					fields: { field: "to", in: "body" },
				});
			const { id: tenantId } = tenantOf(request);
			const caller = callerOf(request);
			const { requester, isUnlimited = false } = requesterOf(caller);
			const { redrive, isReplayed } = await startRedrive(domain, {
				...{ tenantId, outlets: outletsOf(request), requester, isUnlimited },
				filter: { ...narrowing, status: narrowing.status.toSorted() },
				mayDuplicate,
				requestKey: request.headers["idempotency-key"],
				record: (tx, { id, filter: detail, matched }) =>
					recordAudit(tx, {
						...{ tenantId, at: domain.now(), actor: actorOf(caller), action: "redrive.started" },
						...{ subject: id, detail: { ...detail, matched }, ...originOf(request) },
					}),
			});
			if (isReplayed) reply.header("idempotency-replayed", "true");
			return reply.code(202).send(toWire(redrive));
		},
	});

const reading = ({ db }: Notifications): Route[] => [
	route({
		method: "GET",
		url: "/deliveries/redrives",
		access: permit("notifications.messages.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists redrives of the last 90 days, the newest first",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(RedriveWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const query = { after: readKey(cursor, uuidForm), limit: limit + 1 };
			return inTenant(db, tenantOf(request).id, async (tx) => ({
				...pageBy(await listRedrives(tx, query), { limit, toWire, keyOf: ({ id }) => id }),
				...(await totalOf(tx, isCounted, listRedrives)),
			}));
		},
	}),
	route({
		method: "GET",
		url: "/deliveries/redrives/:id",
		access: permit("notifications.messages.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Returns a redrive and how far it is",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 200: RedriveWire },
		},
		handler: async (request) => {
			const { id } = request.params;
			const found = await inTenant(db, tenantOf(request).id, (tx) => findRedrive(tx, id));
			if (found === undefined) throw failures.redrive_not_found();
			return toWire(found);
		},
	}),
];

function toWire(redrive: Redrive): Static<typeof RedriveWire> {
	return {
		id: redrive.id,
		filter: {
			...redrive.filter,
			status: [...redrive.filter.status] as Static<typeof RedriveWire>["filter"]["status"],
		},
		may_duplicate: redrive.mayDuplicate,
		requested_by: redrive.requester,
		status: redrive.status,
		reason: redrive.reason,
		matched: redrive.matched,
		left_out: redrive.leftOut,
		counts: { ...redrive.counts },
		created_at: redrive.createdAt.toISOString(),
		updated_at: redrive.updatedAt.toISOString(),
		finished_at: redrive.finishedAt?.toISOString() ?? null,
	};
}
