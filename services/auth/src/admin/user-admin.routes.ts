import { canonical, type Route, readCursor, route, timeForm } from "@lango/chassis";
import { AdminUser, FailureBody, Page } from "@lango/contracts";
import Type from "typebox";
import { ByUser, Paged, pageSizeDefault, refusals } from "../administrators/administration.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { foldEmail } from "../users/email.ts";
import { listMemberships } from "../users/user.store.ts";
import { findUser, listUsers } from "./admin-user.store.ts";
import { disableUser, enableUser, eraseUser } from "./change-user.ts";

const access = canonical("auth.tenants.manage");
const base = "/api/v1/admin/people";
const refused = { 400: FailureBody, 409: FailureBody, ...refusals };
const statuses = ["active", "pending", "pending_review", "disabled", "deleted"] as const;
const UsersQuery = Type.Object({
	...Paged.properties,
	status: Type.Optional(Type.Enum(statuses, { type: "string" })),
	email: Type.Optional(
		Type.String({ maxLength: 254, pattern: "^[^\\p{Cc}]*$", description: "The whole address" }),
	),
});
const UserWithTenants = Type.Object({
	...AdminUser.properties,
	memberships: Type.Array(
		Type.Object({
			tenant_id: Type.String(),
			slug: Type.String(),
			name: Type.String(),
			roles: Type.Array(Type.String()),
			status: Type.String(),
		}),
	),
});

/** All people, for the platform owner. */
export const userAdminRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: base,
		access,
		schema: {
			summary: "Lists the users in the order of their registration",
			querystring: UsersQuery,
			response: { 200: Page(AdminUser), 400: FailureBody, ...refusals },
		},
		handler: ({ query: { cursor, limit = pageSizeDefault, status, email } }) => {
			const emailFolded = email === undefined ? undefined : foldEmail(email);
			return listUsers(dependencies.db, { status, emailFolded, after: readCursor(cursor, timeForm), limit });
		},
	}),
	route({
		method: "GET",
		url: `${base}/:user_id`,
		access,
		schema: {
			summary: "Returns a user with their memberships",
			params: ByUser,
			response: { 200: UserWithTenants, 400: FailureBody, ...refusals },
		},
		handler: async ({ params }) => {
			const user = await findUser(dependencies.db, params.user_id);
			if (user === undefined) throw failures.user_not_found();
			return { ...user, memberships: await listMemberships(dependencies.db, params.user_id) };
		},
	}),
	...(
		[
			["disable", "Shuts a person out of every tenant and ends their sessions", disableUser],
			["enable", "Lets a disabled person in again", enableUser],
		] as const
	).map(([verb, summary, change]) =>
		route({
			method: "POST",
			url: `${base}/:user_id/${verb}`,
			access,
			schema: { summary, params: ByUser, response: { 200: AdminUser, ...refused } },
			handler: (request) =>
				change(dependencies, request.params.user_id, originOf(request, dependencies.now())),
		}),
	),
	route({
		method: "DELETE",
		url: `${base}/:user_id`,
		access,
		schema: {
			summary: "Erases a user and their personal data",
			params: ByUser,
			response: { 204: Type.Null(), ...refused },
		},
		handler: async (request, reply) => {
			await eraseUser(dependencies, request.params.user_id, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];
