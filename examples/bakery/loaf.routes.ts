import {
	type Domain,
	defineFailures,
	listIn,
	outletIn,
	outletsOf,
	pageOf,
	permit,
	type Route,
	readCursor,
	route,
	tenantOf,
	uuidForm,
} from "@lango/chassis";
import { Name, Page, PageQuery, Shape, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { listLoaves, recordLoaf, removeLoaf } from "./loaf.store.ts";

export const failures = defineFailures({ loaf_unknown: ["not_found", "Loaf not found."] });

const Loaf = Type.Object({ id: Uuid, name: Type.String(), outlet_id: Type.Union([Uuid, Type.Null()]) });

/** The routes of loaves: listing, adding and removing. */
export const loafRoutes = (domain: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/loaves",
		access: permit("bakery.loaves.view"),
		schema: {
			summary: "Lists the loaves of the caller's outlets, with X-Outlet-ID of that outlet",
			querystring: Type.Object(PageQuery),
			response: { 200: Page(Loaf) },
		},
		handler: async (request) => {
			const { cursor, limit = 50 } = request.query;
			const place = readCursor(cursor, [/^$/, uuidForm]);
			const outlets = outletsOf(request);
			const rows = await listIn(domain, request, (tx) =>
				listLoaves(tx, { outlets, after: place?.[1], limit: limit + 1 }),
			);
			return pageOf(rows, { limit, toWire: (loaf) => loaf, placeOf: ({ id }) => ["", id] });
		},
	}),
	route({
		method: "POST",
		url: "/loaves",
		access: permit("bakery.loaves.add"),
		schema: {
			summary: "Adds a loaf",
			body: Shape({ name: Name(100) }),
			response: { 201: Loaf },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const loaf = await inTenant(domain.db, tenantId, async (tx) =>
				recordLoaf(tx, { tenantId, outletId: await outletIn(tx, request), name: request.body.name }),
			);
			return reply.code(201).send(loaf);
		},
	}),
	route({
		method: "DELETE",
		url: "/loaves/:id",
		access: permit("bakery.loaves.delete"),
		schema: {
			summary: "Removes a sold loaf",
			params: Type.Object({ id: Uuid }),
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const outlets = outletsOf(request);
			const isSold = await inTenant(domain.db, tenantId, (tx) => removeLoaf(tx, request.params.id, outlets));
			if (!isSold) throw failures.loaf_unknown();
			return reply.code(204).send(null);
		},
	}),
];
