import { ClientError } from "@lango/client";
import type { PublicOutlet, PublicTenant } from "@lango/contracts";
import { findShelved, shelve, tenantFreshMilliseconds } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../platform.ts";

/** The address of a tenant in the sign-on service. Members, outlets and the audit log are below it. */
export function tenantAddress({ settings }: Platform, slug: string): string {
	return `${settings.authUrl}/api/v1/tenants/${encodeURIComponent(slug)}`;
}

/** The public name and branding of a tenant by slug; null if not found. Cached for six hours (§8). */
export function tenantQuery(platform: Platform, slug = "") {
	const shelved = slug === "" ? undefined : withStorage((shelf) => findShelved(shelf, slug, Date.now()));
	return queryOptions({
		queryKey: ["tenant", slug],
		queryFn: () => findTenant(platform, slug),
		enabled: slug !== "",
		staleTime: tenantFreshMilliseconds,
		gcTime: tenantFreshMilliseconds,
		...(shelved === undefined ? {} : { initialData: shelved.tenant, initialDataUpdatedAt: shelved.at }),
	});
}

async function findTenant({ client, settings }: Platform, slug: string): Promise<PublicTenant | null> {
	try {
		const address = `${settings.authUrl}/api/v1/tenants/by-slug/${encodeURIComponent(slug)}`;
		const tenant = await client.call<PublicTenant>(address, { isPublic: true });
		withStorage((shelf) => shelve(shelf, tenant, Date.now()));
		return tenant;
	} catch (error) {
		// 400: the text is not a valid slug, so no tenant has it.
		if (error instanceof ClientError && (error.status === 404 || error.status === 400)) return null;
		throw error;
	}
}

/** The tenant's outlets that are not archived, most recently used first (§5.15). */
export function outletsQuery({ client }: Platform, slug: string) {
	return queryOptions({
		queryKey: ["outlets", slug],
		queryFn: (): Promise<readonly PublicOutlet[]> => client.listOutlets(slug),
	});
}

/** Without storage, the tenant is loaded each time. */
function withStorage<T>(use: (shelf: Storage) => T): T | undefined {
	try {
		return use(localStorage);
	} catch {
		return undefined;
	}
}
