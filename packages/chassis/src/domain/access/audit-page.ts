import type { AuditPage, ListedAuditEntry } from "@lango/access";
import { AuditQuery, type ServiceAuditEntry } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { numberForm, pageOf, readCursor } from "../../request/paging.ts";

/** The query of a service's audit log. Its actors are people, clients and API keys. */
export const ServiceAuditQuery = Type.Object({
	...AuditQuery,
	actor: Type.Optional(Type.String({ maxLength: 100, description: "The id of the actor" })),
});

const pageSizeDefault = 50;

/** A page of a service's audit log, newest first. `list` reads its rows. */
export async function pageOfAudit(
	query: Static<typeof ServiceAuditQuery>,
	list: (page: Omit<AuditPage, "tenantId">) => Promise<ListedAuditEntry[]>,
) {
	const { cursor, limit = pageSizeDefault, from, to, actor: actorId, action, about } = query;
	const rows = await list({
		from: from === undefined ? undefined : new Date(from),
		to: to === undefined ? undefined : new Date(to),
		actorId,
		action,
		about: about?.split(","),
		after: readCursor(cursor, [numberForm, numberForm]),
		limit: limit + 1,
	});
	return pageOf(rows, { limit, toWire, placeOf: ({ atMicroseconds, id }) => [atMicroseconds, id] });
}

function toWire(entry: ListedAuditEntry): ServiceAuditEntry {
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
