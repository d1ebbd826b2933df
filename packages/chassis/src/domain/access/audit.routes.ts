import { type ListedAuditEntry, listAudit } from "@lango/access";
import { Page, PageQuery } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { numberForm, pageOf, readCursor } from "../../request/paging.ts";
import { permit, type Route, route } from "../../request/route.ts";
import type { Domain } from "../assembly/domain.ts";
import { listIn } from "./list-in.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

const Entry = Type.Object({
	id: Type.String(),
	tenant_id: OrNull(Type.String({ format: "uuid" })),
	at: DateTime,
	actor_kind: Type.String({ description: "user, client, key or system" }),
	actor_id: Type.String(),
	action: Type.String(),
	subject: Type.String(),
	detail: Type.Unknown({ description: "What was before and after, or what was passed" }),
	request_id: OrNull(Type.String()),
	address: OrNull(Type.String()),
});

/** Changes of access and configuration, and requests that passed a check by a special right. */
export const auditRoutes = (domain: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/audit",
		access: permit(`${domain.name}.audit.view`),
		schema: {
			summary: "Lists changes and their actors, newest first; for the platform owner, of all tenants",
			querystring: Type.Object({
				...PageQuery,
				from: Type.Optional(Type.String({ format: "date-time", description: "At this moment or later" })),
				to: Type.Optional(Type.String({ format: "date-time", description: "Before this moment" })),
				actor: Type.Optional(Type.String({ maxLength: 100, description: "The id of the actor" })),
				action: Type.Optional(Type.String({ maxLength: 100, description: "As role.assigned" })),
			}),
			response: { 200: Page(Entry) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, from, to, actor: actorId, action } = request.query;
			const page = {
				from: from === undefined ? undefined : new Date(from),
				to: to === undefined ? undefined : new Date(to),
				actorId,
				action,
				after: readCursor(cursor, [numberForm, numberForm]),
				limit: limit + 1,
			};
			const rows = await listIn(domain, request, (tx) => listAudit(tx, page));
			return pageOf(rows, { limit, toWire, placeOf: ({ atMicroseconds, id }) => [atMicroseconds, id] });
		},
	}),
];

function toWire(entry: ListedAuditEntry): Static<typeof Entry> {
	const { id, action, subject, detail, tenantId, at, actor, requestId, address } = entry;
	return {
		id,
		action,
		subject,
		detail,
		address,
		tenant_id: tenantId,
		at: at.toISOString(),
		actor_kind: actor.kind,
		actor_id: actor.id,
		request_id: requestId,
	};
}
