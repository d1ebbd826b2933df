import type { Ready } from "@lango/client";
import type { PublicOutlet } from "@lango/contracts";
import { tenantFreshMilliseconds } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../platform.ts";
import { findStoredTenant, findTenant } from "./find-tenant.ts";

/** The session, if it is in this tenant. */
function readyIn(client: Platform["client"], slug: string): Ready | undefined {
	const state = client.getState();
	return state.status === "ready" && state.profile.tenantSlug === slug ? state : undefined;
}

/** The address of a tenant in the sign-on service. Members, outlets and the audit log are below it. */
export function tenantAddress({ settings }: Platform, slug: string): string {
	return `${settings.authUrl}/api/v1/tenants/${encodeURIComponent(slug)}`;
}

/** The public name and branding of a tenant by slug; null if not found. Cached for six hours (§8). */
export function tenantQuery(platform: Platform, slug = "") {
	const stored = slug === "" ? undefined : findStoredTenant(slug);
	return queryOptions({
		queryKey: ["tenant", slug],
		queryFn: () => findTenant(platform, slug),
		enabled: slug !== "",
		staleTime: tenantFreshMilliseconds,
		gcTime: tenantFreshMilliseconds,
		...(stored === undefined ? {} : { initialData: stored.tenant, initialDataUpdatedAt: stored.at }),
	});
}

/** The tenant's outlets that are not archived. What the client has just listed is not asked for again. */
export function outletsQuery({ client }: Platform, slug: string) {
	return queryOptions({
		queryKey: ["outlets", slug],
		queryFn: (): Promise<readonly PublicOutlet[]> => client.listOutlets(slug),
		initialData: () => readyIn(client, slug)?.outlets,
		initialDataUpdatedAt: () => readyIn(client, slug)?.loadedAt,
	});
}
