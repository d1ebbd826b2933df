import { canonical, type Route, readCursor, route, timeForm, totalOf } from "@lango/chassis";
import { AdminTenant, FailureBody, Page, Shape, Slug, TotalQuery } from "@lango/contracts";
import Type from "typebox";
import { ById, Paged, pageSizeDefault, refusals } from "../administrators/administration.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findTenant } from "../tenants/tenant.store.ts";
import { listTenants, toAdminTenant } from "./admin-tenant.store.ts";
import { renameTenant, resumeTenant, suspendTenant } from "./change-tenant.ts";
import { eraseTenant } from "./erase-tenant.ts";

const access = canonical("auth.tenants.manage");
const base = "/api/v1/admin/tenants";
const refused = { 400: FailureBody, 409: FailureBody, ...refusals };
const TenantsQuery = Type.Object({
	...Paged.properties,
	...TotalQuery,
	status: Type.Optional(Type.Enum(["active", "suspended", "deleted"], { type: "string" })),
	slug: Type.Optional(Type.String({ pattern: "^[a-z0-9-]{1,63}$", description: "How the slug begins" })),
	q: Type.Optional(Type.String({ maxLength: 100, description: "A part of the slug or the name" })),
});

/** Tenants, for the platform owner. */
export const tenantAdminRoutes = (dependencies: Dependencies): readonly Route[] => [
	listing(dependencies),
	route({
		method: "GET",
		url: `${base}/:id`,
		access,
		schema: {
			summary: "A tenant",
			params: ById,
			response: { 200: AdminTenant, 400: FailureBody, ...refusals },
		},
		handler: async ({ params }) => {
			const tenant = await findTenant(dependencies.db, params.id);
			if (tenant === undefined) throw failures.tenant_not_found();
			return toAdminTenant(tenant);
		},
	}),
	route({
		method: "PATCH",
		url: `${base}/:id`,
		access,
		schema: {
			summary: "Changes a tenant's slug",
			params: ById,
			body: Shape({ slug: Slug }),
			response: { 200: AdminTenant, ...refused },
		},
		handler: async (request) => {
			const renaming = { id: request.params.id, slug: request.body.slug };
			return toAdminTenant(await renameTenant(dependencies, renaming, originOf(request, dependencies.now())));
		},
	}),
	...(
		[
			["suspend", "Suspends a tenant: sign-in is refused and its sessions end", suspendTenant],
			["resume", "Resumes a suspended tenant", resumeTenant],
		] as const
	).map(([verb, summary, change]) =>
		route({
			method: "POST",
			url: `${base}/:id/${verb}`,
			access,
			schema: { summary, params: ById, response: { 200: AdminTenant, ...refused } },
			handler: async (request) =>
				toAdminTenant(await change(dependencies, request.params.id, originOf(request, dependencies.now()))),
		}),
	),
	route({
		method: "DELETE",
		url: `${base}/:id`,
		access,
		schema: {
			summary: "Erases a tenant and its data",
			params: ById,
			response: { 204: Type.Null(), ...refused },
		},
		handler: async (request, reply) => {
			await eraseTenant(dependencies, request.params.id, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];

const listing = (dependencies: Dependencies): Route =>
	route({
		method: "GET",
		url: base,
		access,
		schema: {
			summary: "Lists the tenants in the order of their creation",
			querystring: TenantsQuery,
			response: { 200: Page(AdminTenant), 400: FailureBody, ...refusals },
		},
		handler: async ({ query: { cursor, limit = pageSizeDefault, total, status, slug, q: search } }) => {
			const { db } = dependencies;
			const asked = { status, slug, search, after: readCursor(cursor, timeForm), limit };
			return {
				...(await listTenants(db, asked)),
				...(await totalOf(db, total, (all, page) => listTenants(all, { ...asked, ...page }))),
			};
		},
	});
