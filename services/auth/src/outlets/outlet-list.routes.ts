import { apiKey, canonical, open, type Route, route, tenantOf } from "@lango/chassis";
import { FailureBody, Outlet, PublicOutlet } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { BySlug, BySlugAndId, refusals } from "../administrators/administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { requireTenant } from "../tenants/require-tenant.ts";
import { findOutlet, listOutlets } from "./outlet.store.ts";
import { publicSettings } from "./outlet-settings.ts";

/**
 * The routes that read outlets. Public settings need no credential; members of the tenant and other
 * services read all settings.
 */
export const outletListRoutes = ({ db }: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/outlets",
		access: open("§4.1: the outlet selector lists them"),
		schema: {
			summary: "A tenant's outlets, with their public settings",
			params: BySlug,
			response: { 200: Type.Array(PublicOutlet), 404: FailureBody },
		},
		handler: async ({ params }) => {
			const { id: tenantId } = await requireTenant(db, params.slug);
			const outlets = await inTenant(db, tenantId, (tx) => listOutlets(tx, tenantId));
			return outlets.map((outlet) => ({
				...outlet,
				settings: publicSettings(outlet.use_case, outlet.settings),
			}));
		},
	}),
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/outlet-settings",
		access: apiKey("tenants.read"),
		schema: {
			summary: "A tenant's outlets with all their settings; for other services",
			params: BySlug,
			response: { 200: Type.Array(Outlet), 401: FailureBody, 403: FailureBody, 404: FailureBody },
		},
		handler: async ({ params }) => {
			const { id: tenantId } = await requireTenant(db, params.slug);
			return inTenant(db, tenantId, (tx) => listOutlets(tx, tenantId));
		},
	}),
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/outlets/:id",
		access: canonical("auth.outlets.view"),
		schema: {
			summary: "An outlet with all its settings",
			params: BySlugAndId,
			response: { 200: Outlet, ...refusals },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			const outlet = await inTenant(db, tenantId, (tx) => findOutlet(tx, { tenantId, id }));
			if (outlet === undefined) throw failures.outlet_not_found();
			return outlet;
		},
	}),
];
