import { canonical, type Route, readCursor, route, tenantOf, timeForm, totalOf } from "@lango/chassis";
import { Approval, FailureBody, JoinRequest, Page, PeopleQuery, TotalQuery } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { BySlug, BySlugAndId, pageSizeDefault, refusals } from "../administrators/administration.ts";
import { administratorOf } from "../administrators/admit-administrator.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { approve, type Changing, refuse } from "./change-member.ts";
import { listJoinRequests } from "./member.store.ts";

type Request = Parameters<typeof administratorOf>[0];

const changingOf = (request: Request, id: string): Changing => ({
	tenant: tenantOf(request),
	userId: id.toLowerCase(),
	by: administratorOf(request),
});

/** Those who wait to be let in (spec §3): the id of a request is the person's. */
export const joinRequestRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/join-requests",
		access: canonical("auth.users.view"),
		schema: {
			summary: "Lists the tenant's open join requests, oldest first",
			params: BySlug,
			querystring: Type.Object({ ...PeopleQuery, ...TotalQuery }),
			response: { 200: Page(JoinRequest), 400: FailureBody, ...refusals },
		},
		handler: async (request) => {
			const { cursor, limit = pageSizeDefault, total, q: search } = request.query;
			const { id: tenantId } = tenantOf(request);
			const asked = { tenantId, search, after: readCursor(cursor, timeForm), limit };
			return inTenant(dependencies.db, tenantId, async (tx) => ({
				...(await listJoinRequests(tx, asked)),
				...(await totalOf(tx, total, (all, page) => listJoinRequests(all, { ...asked, ...page }))),
			}));
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/tenants/:slug/join-requests/:id/approve",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Approves a join request, with the requested or with other roles",
			params: BySlugAndId,
			body: Type.Optional(Type.Union([Approval, Type.Null()])),
			response: { 204: Type.Null(), 400: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const changing = { ...changingOf(request, request.params.id), approval: request.body ?? {} };
			await approve(dependencies, changing, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/tenants/:slug/join-requests/:id/refuse",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Rejects a join request",
			params: BySlugAndId,
			response: { 204: Type.Null(), ...refusals },
		},
		handler: async (request, reply) => {
			const changing = changingOf(request, request.params.id);
			await refuse(dependencies, changing, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];
