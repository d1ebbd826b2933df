import { listPage } from "@lango/client";
import type { TenantAuditEntry, Usage } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import { kinds } from "../../audit/kinds.ts";
import type { Platform } from "../../platform.ts";

const recentMax = 6;

/** The usage of all metrics in their windows; empty without a subscription. */
export function usageQuery({ client, settings }: Platform, tenantId = "") {
	return queryOptions({
		queryKey: ["usage", tenantId],
		queryFn: async ({ signal }) => {
			const address = `${settings.subscriptionsUrl}/api/v1/tenants/${tenantId}/usage`;
			return (await listPage<Usage>(client, address, { signal })).items;
		},
		enabled: tenantId !== "",
	});
}

/** Changes, without sign-ins. */
const about = [...kinds.people, ...kinds.organisation, ...kinds.programs].join();

/** The most recent changes of a tenant. */
export function recentQuery({ client, settings }: Platform, slug: string) {
	return queryOptions({
		queryKey: ["audit", slug, "recent"],
		queryFn: async ({ signal }) => {
			const address = `${settings.authUrl}/api/v1/tenants/${encodeURIComponent(slug)}/audit`;
			const query = { limit: recentMax, about };
			return (await listPage<TenantAuditEntry>(client, address, { query, signal })).items;
		},
	});
}
