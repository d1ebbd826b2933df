import { open, type Route, route } from "@lango/chassis";
import { FailureBody, PublicOutlet, PublicTenant } from "@lango/contracts";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findTenantBySlug, listOutlets } from "./tenant.store.ts";

const BySlug = Type.Object({ slug: Type.String({ maxLength: 63 }) });

/** What anybody may know of a tenant (spec §4.1). */
export const tenantRoutes = ({ db }: Dependencies): readonly Route[] => {
	const find = async (slug: string) => {
		const tenant = await findTenantBySlug(db, slug);
		if (tenant === undefined) throw failures.tenant_not_found();
		return tenant;
	};
	return [
		route({
			method: "GET",
			url: "/api/v1/tenants/by-slug/:slug",
			access: open("§4.1: pages show a tenant's name and branding before anybody signs in"),
			schema: {
				summary: "A tenant's id, name and branding",
				params: BySlug,
				response: { 200: PublicTenant, 404: FailureBody },
			},
			handler: ({ params }) => find(params.slug),
		}),
		route({
			method: "GET",
			url: "/api/v1/tenants/:slug/outlets",
			access: open("§4.1: the outlet selector lists them"),
			schema: {
				summary: "A tenant's outlets",
				params: BySlug,
				response: { 200: Type.Array(PublicOutlet), 404: FailureBody },
			},
			handler: async ({ params }) => listOutlets(db, (await find(params.slug)).id),
		}),
	];
};
