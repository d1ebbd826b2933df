import {
	actorOf,
	both,
	callerOf,
	type Domain,
	limitOf,
	listIn,
	originOf,
	ownerOf,
	pageBy,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { failures } from "../failures.ts";
import { activate, addToFleet, type ChangeContext, riderLimit, suspend } from "./change-rider.ts";
import { findRider, listRiders } from "./rider.store.ts";
import { NewRider, RiderPage, RiderWire, Status, toWire } from "./rider.ts";

const product = "logistics";
const tags = ["riders"];
const Params = Type.Object({ tenant: Type.String(), id: Uuid });
const viewing = both("logistics.fleet.view", "riders:read");
const managing = both("logistics.fleet.manage", "riders:change");

const outlets = tenantWide("riders deliver for every outlet of the tenant");

/** The routes of the fleet: reading riders and changing their status. */
export const riderRoutes = (domain: Domain): readonly Route[] => [
	...reading(domain),
	adding(domain),
	activating(domain, { verb: "approve", from: "pending", summary: "Approves a pending rider" }),
	activating(domain, { verb: "readmit", from: "suspended", summary: "Readmits a suspended rider" }),
	suspending(domain),
];

const reading = (domain: Domain): Route[] => [
	route({
		method: "GET",
		url: "/riders",
		access: viewing,
		outlets,
		own: true,
		product,
		schema: {
			summary: "Lists riders: all of them with logistics.fleet.view, otherwise only the caller",
			tags,
			querystring: Type.Object({ ...PageQuery, ...TotalQuery, status: Type.Optional(Status) }),
			response: { 200: RiderPage },
		},
		handler: async (request) => {
			const { cursor, limit = 50, status, total: isCounted } = request.query;
			const after = readKey(cursor, uuidForm);
			return listIn(domain, request, async (tx, tenantId) => {
				const query = { tenantId, owner: ownerOf(request)?.userId, status };
				const rows = await listRiders(tx, { ...query, after, limit: limit + 1 });
				return {
					...pageBy(rows, { limit, toWire, keyOf: ({ id }) => id }),
					...(await totalOf(tx, isCounted, (all, page) => listRiders(all, { ...query, ...page }))),
				};
			});
		},
	}),
	route({
		method: "GET",
		url: "/riders/:id",
		access: viewing,
		outlets,
		own: true,
		product,
		schema: { summary: "Returns a rider", tags, params: Params, response: { 200: RiderWire } },
		handler: async (request) => {
			const tenantId = tenantOf(request).id;
			const one = { tenantId, id: request.params.id, owner: ownerOf(request)?.userId };
			const rider = await inTenant(domain.db, tenantId, (tx) => findRider(tx, one));
			if (rider === undefined) throw failures.rider_not_found();
			return toWire(rider);
		},
	}),
];

const adding = (domain: Domain): Route =>
	route({
		method: "POST",
		url: "/riders",
		access: managing,
		outlets,
		product,
		schema: {
			summary: "Adds a known person to the fleet as a pending rider",
			tags,
			body: NewRider,
			response: { 201: RiderWire },
		},
		handler: async (request, reply) => {
			const rider = await addToFleet(domain, request.body.user_id.toLowerCase(), contextOf(request));
			return reply.code(201).send(toWire(rider));
		},
	});

type Activating = { verb: string; from: "pending" | "suspended"; summary: string };

const activating = (domain: Domain, { verb, from, summary }: Activating): Route =>
	route({
		method: "POST",
		url: `/riders/:id/${verb}`,
		access: managing,
		outlets,
		product,
		limit: riderLimit,
		schema: {
			summary: `${summary}. Counts against ${riderLimit}: 403 limit_reached`,
			tags,
			params: Params,
			response: { 200: RiderWire },
		},
		handler: async (request) => {
			const limit = limitOf(request);
			return toWire(await activate(domain, { id: request.params.id, from, limit }, contextOf(request)));
		},
	});

const suspending = (domain: Domain): Route =>
	route({
		method: "POST",
		url: "/riders/:id/suspend",
		access: managing,
		outlets,
		product,
		schema: {
			summary: "Suspends a rider, which frees their place in the plan",
			tags,
			params: Params,
			response: { 200: RiderWire },
		},
		handler: async (request) => toWire(await suspend(domain, request.params.id, contextOf(request))),
	});

const contextOf = (request: FastifyRequest): ChangeContext => ({
	tenantId: tenantOf(request).id,
	actor: actorOf(callerOf(request)),
	...originOf(request),
});
