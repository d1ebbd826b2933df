import { listUsers } from "@lango/access";
import { Page, PeopleQuery, TotalQuery, Uuid } from "@lango/contracts";
import Type from "typebox";
import { pageOf, readCursor, textForm, uuidForm } from "../../request/paging.ts";
import { permit, type Route, route } from "../../request/route.ts";
import { totalOf } from "../../request/total.store.ts";
import type { Domain } from "../assembly/domain.ts";
import { listIn } from "./list-in.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const ServiceUser = Type.Object({
	user_id: Type.String({ format: "uuid", description: "The person's id at the sign-on service" }),
	tenant_id: Uuid,
	email: Type.String(),
	name: Type.String(),
	status: Type.String(),
	global_roles: Type.Array(Type.String()),
	roles: Type.Array(
		Type.Object({
			role: Type.String(),
			outlet_id: OrNull(Uuid),
			expires_at: OrNull(Type.String({ format: "date-time" })),
		}),
	),
});

/** The users that this service knows. Roles can be assigned to them. */
export const userRoutes = (domain: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/users",
		access: permit(`${domain.name}.users.view`),
		schema: {
			summary:
				"The people this service knows, with their roles; for the platform's owner, those of all tenants",
			querystring: Type.Object({
				...PeopleQuery,
				...TotalQuery,
				email: Type.Optional(
					Type.String({ maxLength: 320, description: "Only the person with this address" }),
				),
			}),
			response: { 200: Page(ServiceUser) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, email, q: search } = request.query;
			const after = readCursor(cursor, [textForm, uuidForm]);
			const asked = { email, search, after, limit: limit + 1, now: domain.now() };
			const { rows, ...total } = await listIn(domain, request, async (tx, tenantId) => {
				const query = { ...asked, tenantId };
				return {
					rows: await listUsers(tx, query),
					...(await totalOf(tx, isCounted, (all, page) => listUsers(all, { ...query, ...page }))),
				};
			});
			const page = pageOf(rows, {
				limit,
				toWire: ({ id: _local, tenantId, subject, globalRoles, roles, ...user }) => ({
					...user,
					user_id: subject,
					tenant_id: tenantId,
					global_roles: [...globalRoles],
					roles: [...roles],
				}),
				placeOf: (user) => [user.email, user.id],
			});
			return { ...page, ...total };
		},
	}),
];
