import { apiKey, entityTagOf, namesEntityTag, open, type Route, route } from "@lango/chassis";
import { FailureBody, PublicTenant, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { requireTenant } from "./require-tenant.ts";
import { findTenant, publicTenant } from "./tenant.store.ts";

const BySlug = Type.Object({ slug: Type.String({ maxLength: 63 }) });
const Headers = Type.Object({ "if-none-match": Type.Optional(Type.String({ maxLength: 1_000 })) });
/** Cached for six hours (spec §8); after the first minute revalidated in the background. */
const branding = "public, max-age=60, stale-while-revalidate=21540";

/** The public data of a tenant (spec §4.1), and its data for other services by id. */
export const tenantRoutes = ({ db }: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/by-slug/:slug",
		access: open("§4.1: pages show a tenant's name and branding before anybody signs in"),
		schema: {
			summary: "A tenant's id, name and branding",
			description:
				"May be held for six hours, and is asked for again after a minute: 304 when If-None-Match names what it still is.",
			params: BySlug,
			headers: Headers,
			response: {
				200: PublicTenant,
				304: Type.Unsafe<undefined>({ type: "null", description: "Unchanged" }),
				404: FailureBody,
			},
		},
		handler: async ({ params, headers }, reply) => {
			const tenant = publicTenant(await requireTenant(db, params.slug));
			const tag = entityTagOf(JSON.stringify(tenant));
			reply.headers({ etag: tag, "cache-control": branding });
			if (namesEntityTag(headers["if-none-match"], tag)) return reply.code(304).send();
			return tenant;
		},
	}),
	route({
		method: "GET",
		url: "/api/v1/tenants/:id",
		access: apiKey("tenants.read"),
		schema: {
			summary: "Returns a tenant by its id; for other services",
			params: Type.Object({ id: Uuid }),
			response: {
				200: PublicTenant,
				400: FailureBody,
				401: FailureBody,
				403: FailureBody,
				404: FailureBody,
			},
		},
		handler: async ({ params }) => {
			const tenant = await findTenant(db, params.id);
			if (tenant === undefined) throw failures.tenant_not_found();
			return publicTenant(tenant);
		},
	}),
];
