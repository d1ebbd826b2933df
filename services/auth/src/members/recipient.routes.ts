import { apiKey, type Route, readCursor, route, timeForm } from "@lango/chassis";
import { FailureBody, Page, PageQuery, Recipient, Role, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { pageSizeDefault } from "../administrators/administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findTenant } from "../tenants/tenant.store.ts";
import { listMembers } from "./member.store.ts";

/** The people of a tenant, for the service that sends messages to them. */
export const recipientRoutes = ({ db }: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:id/recipients",
		access: apiKey("recipients.read"),
		schema: {
			summary: "Lists the people of a tenant with a role, for messages to them; for other services",
			description: "Members that are active, in the order they joined. Without role: all of them.",
			params: Type.Object({ id: Uuid }),
			querystring: Type.Object({ ...PageQuery, role: Type.Optional(Role) }),
			response: {
				200: Page(Recipient),
				400: FailureBody,
				401: FailureBody,
				403: FailureBody,
				404: FailureBody,
			},
		},
		handler: async ({ params, query }, reply) => {
			const { cursor, limit = pageSizeDefault, role } = query;
			const tenant = await findTenant(db, params.id);
			if (tenant === undefined) throw failures.tenant_not_found();
			const after = readCursor(cursor, timeForm);
			const asked = { tenantId: tenant.id, statuses: ["active"], search: undefined, role, after, limit };
			const { items, next_cursor } = await inTenant(db, tenant.id, (tx) => listMembers(tx, asked));
			reply.header("cache-control", "no-store");
			return {
				items: items
					.filter(({ status }) => status === "active")
					.map(({ user_id, email, name, roles, status, email_verified }) => ({
						...{ user_id, email, name, roles, status, email_verified },
					})),
				next_cursor,
			};
		},
	}),
];
