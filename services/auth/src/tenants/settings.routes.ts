import { canonical, type Route, route, tenantOf } from "@lango/chassis";
import { FailureBody, TenantSettings, TenantSettingsChange } from "@lango/contracts";
import { BySlug, refusals } from "../administrators/administration.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { changeSettings, settingsOf } from "./change-settings.ts";
import { findTenant } from "./tenant.store.ts";

/** What administrators change of their tenant. */
export const settingsRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:slug/settings",
		access: canonical("auth.settings.change"),
		schema: {
			summary: "A tenant's settings",
			params: BySlug,
			response: { 200: TenantSettings, ...refusals },
		},
		handler: async (request) => {
			const tenant = await findTenant(dependencies.db, tenantOf(request).id);
			if (tenant === undefined) throw failures.tenant_not_found();
			return settingsOf(tenant);
		},
	}),
	route({
		method: "PATCH",
		url: "/api/v1/tenants/:slug/settings",
		access: canonical("auth.settings.change"),
		schema: {
			summary:
				"Changes a tenant's name, branding, time zone, currency, locale, join policy or outlet isolation",
			description:
				"`outlet_isolation` is `strict` by default. With `open`, people who are bound to outlets read every outlet of the tenant when a request names none; their changes stay within their own outlets. `branding.logo_url` may only be null, which removes the logo; a new one is uploaded to `…/logo`.",
			params: BySlug,
			body: TenantSettingsChange,
			response: { 200: TenantSettings, 400: FailureBody, ...refusals },
		},
		handler: (request) =>
			changeSettings(
				dependencies,
				{ tenantId: tenantOf(request).id, slug: tenantOf(request).slug, change: request.body },
				originOf(request, dependencies.now()),
			),
	}),
];
