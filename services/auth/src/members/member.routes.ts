import { canonical, type Route, readCursor, route, tenantOf, timeForm, totalOf } from "@lango/chassis";
import {
	FailureBody,
	Member,
	MemberOutlets,
	MemberRoles,
	Page,
	PeopleQuery,
	Role,
	TotalQuery,
} from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { BySlug, BySlugAndUser, pageSizeDefault, refusals } from "../administrators/administration.ts";
import { administratorOf } from "../administrators/admit-administrator.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { type Changing, changeOutlets, changeRoles, removeMember } from "./change-member.ts";
import { listMembers } from "./member.store.ts";

type Request = Parameters<typeof administratorOf>[0];
const changed = { 204: Type.Null(), 400: FailureBody, 409: FailureBody, ...refusals };

const changingOf = (request: Request, userId: string): Changing => ({
	tenant: tenantOf(request),
	userId: userId.toLowerCase(),
	by: administratorOf(request),
});

/** The people of a tenant, and what they may do in it. */
export const memberRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/members",
		access: canonical("auth.users.view"),
		schema: {
			summary: "Lists the members of a tenant in the order they joined",
			params: BySlug,
			querystring: Type.Object({ ...PeopleQuery, ...TotalQuery, role: Type.Optional(Role) }),
			response: { 200: Page(Member), 400: FailureBody, ...refusals },
		},
		handler: async (request) => {
			const { cursor, limit = pageSizeDefault, total, q: search, role } = request.query;
			const { id: tenantId } = tenantOf(request);
			const after = readCursor(cursor, timeForm);
			const asked = { tenantId, statuses: ["active"], search, role, after, limit };
			return inTenant(dependencies.db, tenantId, async (tx) => ({
				...(await listMembers(tx, asked)),
				...(await totalOf(tx, total, (all, page) => listMembers(all, { ...asked, ...page }))),
			}));
		},
	}),
	route({
		method: "PUT",
		url: "/api/v1/tenants/:slug/members/:user_id/roles",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Replaces the roles of a member",
			params: BySlugAndUser,
			body: MemberRoles,
			response: changed,
		},
		handler: async (request, reply) => {
			const changing = { ...changingOf(request, request.params.user_id), roles: request.body.roles };
			await changeRoles(dependencies, changing, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
	route({
		method: "PUT",
		url: "/api/v1/tenants/:slug/members/:user_id/outlets",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Replaces the outlets of a member and sets whether they belong to the headquarters",
			params: BySlugAndUser,
			body: MemberOutlets,
			response: changed,
		},
		handler: async (request, reply) => {
			const { outlet_ids: outletIds, is_hq: isHq } = request.body;
			const changing = { ...changingOf(request, request.params.user_id), outletIds, isHq };
			await changeOutlets(dependencies, changing, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
	route({
		method: "DELETE",
		url: "/api/v1/tenants/:slug/members/:user_id",
		access: canonical("auth.users.change"),
		schema: {
			summary: "Removes a member from the tenant and ends their sessions in it",
			params: BySlugAndUser,
			response: changed,
		},
		handler: async (request, reply) => {
			const changing = changingOf(request, request.params.user_id);
			await removeMember(dependencies, changing, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];
