import {
	actorOf,
	both,
	callerOf,
	type Domain,
	limitOf,
	listIn,
	originOf,
	ownerOf,
	pageOf,
	type Route,
	readCursor,
	route,
	tenantOf,
	tenantWide,
	uuidForm,
} from "@lango/chassis";
import { PageQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { failures } from "../failures.ts";
import { admit, type Doing, riderLimit, suspend, takeRider } from "./change-rider.ts";
import { findRider, listRiders } from "./rider.store.ts";
import { NewRider, RiderPage, RiderWire, Status, toWire } from "./rider.ts";

const product = "logistics";
const tags = ["riders"];
const Params = Type.Object({ tenant: Type.String(), id: Uuid });
const seeing = both("logistics.fleet.view", "riders:read");
const managing = both("logistics.fleet.manage", "riders:change");

const outlets = tenantWide("riders deliver for every outlet of the tenant");

/** The fleet: who rides, and who lets them. */
export const riderRoutes = (domain: Domain): readonly Route[] => [
	...reading(domain),
	adding(domain),
	admitting(domain, { verb: "approve", from: "pending", summary: "Lets a rider who waits ride" }),
	admitting(domain, { verb: "readmit", from: "suspended", summary: "Lets a suspended rider ride again" }),
	suspending(domain),
];

const reading = (domain: Domain): Route[] => [
	route({
		method: "GET",
		url: "/riders",
		access: seeing,
		outlets,
		own: true,
		product,
		schema: {
			summary: "Riders: all for who may see the fleet, oneself for a rider",
			tags,
			querystring: Type.Object({ ...PageQuery, status: Type.Optional(Status) }),
			response: { 200: RiderPage },
		},
		handler: async (request) => {
			const { cursor, limit = 50, status } = request.query;
			const after = readCursor(cursor, [/^$/, uuidForm])?.[1];
			const page = { owner: ownerOf(request)?.userId, status, after, limit: limit + 1 };
			const rows = await listIn(domain, request, (tx) => listRiders(tx, page));
			return pageOf(rows, { limit, toWire, placeOf: ({ id }) => ["", id] });
		},
	}),
	route({
		method: "GET",
		url: "/riders/:id",
		access: seeing,
		outlets,
		own: true,
		product,
		schema: { summary: "One rider", tags, params: Params, response: { 200: RiderWire } },
		handler: async (request) => {
			const one = { id: request.params.id, owner: ownerOf(request)?.userId };
			const rider = await inTenant(domain.db, tenantOf(request).id, (tx) => findRider(tx, one));
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
			summary: "Takes a person whom the service knows into the fleet; they wait for approval",
			tags,
			body: NewRider,
			response: { 201: RiderWire },
		},
		handler: async (request, reply) => {
			const rider = await takeRider(domain, request.body.user_id.toLowerCase(), doingOf(request));
			return reply.code(201).send(toWire(rider));
		},
	});

type Admitted = { verb: string; from: "pending" | "suspended"; summary: string };

const admitting = (domain: Domain, { verb, from, summary }: Admitted): Route =>
	route({
		method: "POST",
		url: `/riders/:id/${verb}`,
		access: managing,
		outlets,
		product,
		limit: riderLimit,
		schema: {
			summary: `${summary}, counted against ${riderLimit}: 403 limit_reached`,
			tags,
			params: Params,
			response: { 200: RiderWire },
		},
		handler: async (request) => {
			const limit = limitOf(request);
			return toWire(await admit(domain, { id: request.params.id, from, limit }, doingOf(request)));
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
			summary: "Keeps a rider from riding, whose place in the plan is free then",
			tags,
			params: Params,
			response: { 200: RiderWire },
		},
		handler: async (request) => toWire(await suspend(domain, request.params.id, doingOf(request))),
	});

const doingOf = (request: FastifyRequest): Doing => ({
	tenantId: tenantOf(request).id,
	actor: actorOf(callerOf(request)),
	...originOf(request),
});
