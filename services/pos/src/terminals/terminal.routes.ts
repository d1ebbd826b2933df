import {
	actorOf,
	callerOf,
	originOf,
	outletsOf,
	permit,
	type Route,
	requireInScope,
	requireRight,
	route,
	tenantOf,
} from "@lango/chassis";
import { Name, Page, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { listPage, PageQuery } from "../outlets/listing.ts";
import type { Pos } from "../pos.ts";
import { addTerminal, type Change, revokeTill } from "./change-terminal.ts";
import { listTerminals } from "./terminal.store.ts";

const Moment = Type.String({ format: "date-time" });
const Terminal = Type.Object({
	id: Uuid,
	tenant_id: Uuid,
	outlet_id: Uuid,
	name: Type.String(),
	created_at: Moment,
	revoked_at: Type.Union([Moment, Type.Null()]),
});

/** Adding, listing and revoking tills. */
export const terminalRoutes = (pos: Pos): readonly Route[] => [
	route({
		method: "GET",
		url: "/terminals",
		access: permit("pos.terminals.view"),
		product: "pos",
		schema: {
			summary: "Lists the tills of the caller's outlets, with X-Outlet-ID of that outlet",
			querystring: PageQuery,
			response: { 200: Page(Terminal) },
		},
		handler: async (request) => {
			return listPage(pos, request, {
				query: request.query,
				look: listTerminals,
				toWire: ({ id, name, ...rest }) => ({
					id,
					tenant_id: rest.tenantId,
					outlet_id: rest.outletId,
					name,
					created_at: rest.createdAt.toISOString(),
					revoked_at: rest.revokedAt?.toISOString() ?? null,
				}),
			});
		},
	}),
	route({
		method: "POST",
		url: "/terminals",
		access: permit("pos.terminals.add"),
		product: "pos",
		schema: {
			summary: "Adds a till. Only this response contains its token",
			body: Shape({ outlet_id: Uuid, name: Name(80) }),
			response: {
				201: Type.Object({ id: Uuid, token: Type.String(), outlet_id: Uuid, name: Type.String() }),
			},
		},
		handler: async (request, reply) => {
			const { outlet_id: outletId, name } = request.body;
			requireRight(request, "pos.terminals.add", outletId.toLowerCase());
			requireInScope(request, outletId);
			const { id, token } = await addTerminal(pos.db, { outletId, name }, changeOf(request, pos.now()));
			return reply
				.code(201)
				.header("cache-control", "no-store")
				.send({ id, token, outlet_id: outletId.toLowerCase(), name });
		},
	}),
	route({
		method: "DELETE",
		url: "/terminals/:id",
		access: permit("pos.terminals.delete"),
		product: "pos",
		schema: {
			summary: "Revokes a till and ends its sessions",
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const outlets = outletsOf(request);
			await revokeTill(pos.db, { id: request.params.id, outlets }, changeOf(request, pos.now()));
			return reply.code(204).send(null);
		},
	}),
];

const changeOf = (request: Parameters<typeof callerOf>[0], now: Date): Change => ({
	tenantId: tenantOf(request).id,
	actor: actorOf(callerOf(request)),
	origin: originOf(request),
	now,
});
