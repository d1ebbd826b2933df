import { ClientError } from "@lango/client";
import type { PublicOutlet, PublicTenant } from "@lango/contracts";
import { findShelved, shelve, tenantFreshMilliseconds } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../session/request.ts";

/** The public name and branding of a tenant, or null if not found. Cached for six hours. */
export function tenantQuery(authUrl: string, slug: string) {
	const shelved = slug === "" ? undefined : withStorage((shelf) => findShelved(shelf, slug, Date.now()));
	return queryOptions({
		queryKey: ["tenant", authUrl, slug],
		queryFn: () => findTenant(authUrl, slug),
		enabled: slug !== "",
		staleTime: tenantFreshMilliseconds,
		gcTime: tenantFreshMilliseconds,
		retry: 1,
		...(shelved === undefined ? {} : { initialData: shelved.tenant, initialDataUpdatedAt: shelved.at }),
	});
}

async function findTenant(authUrl: string, slug: string): Promise<PublicTenant | null> {
	try {
		const address = `${authUrl}/api/v1/tenants/by-slug/${encodeURIComponent(slug)}`;
		const tenant = (await request(address)) as PublicTenant;
		withStorage((shelf) => shelve(shelf, tenant, Date.now()));
		return tenant;
	} catch (error) {
		// 400: the text is not a slug, so there is no such tenant.
		if (error instanceof ClientError && (error.status === 404 || error.status === 400)) return null;
		throw error;
	}
}

/** The public outlets of a tenant (§4.1). */
export function outletsQuery(authUrl: string, slug: string) {
	return queryOptions({
		queryKey: ["outlets", authUrl, slug],
		queryFn: async () => {
			const address = `${authUrl}/api/v1/tenants/${encodeURIComponent(slug)}/outlets`;
			return (await request(address)) as PublicOutlet[];
		},
		retry: 1,
	});
}

/** Returns undefined if the storage is blocked or full. Then the tenant is requested every time. */
function withStorage<T>(use: (shelf: Storage) => T): T | undefined {
	try {
		return use(localStorage);
	} catch {
		return undefined;
	}
}
