import { ClientError } from "@lango/client";
import type { PublicOutlet, PublicTenant } from "@lango/contracts";
import { findShelved, shelve, tenantFreshMilliseconds } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../platform.ts";

/** Where the sign-on service administers a tenant: the address that its people, outlets and audit log are below. */
export function tenantAddress({ settings }: Platform, slug: string): string {
	return `${settings.authUrl}/api/v1/tenants/${encodeURIComponent(slug)}`;
}

/** The tenant of a slug by name and branding, or null when there is none; asked for anew after six hours (§8). */
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
		// 400: a text that cannot be a slug is one nobody has.
		if (error instanceof ClientError && (error.status === 404 || error.status === 400)) return null;
		throw error;
	}
}

/** The outlets of a tenant that are not archived, the last used first (§5.15). */
export function outletsQuery({ client }: Platform, slug: string) {
	return queryOptions({
		queryKey: ["outlets", slug],
		queryFn: (): Promise<readonly PublicOutlet[]> => client.listOutlets(slug),
	});
}

/** A browser may keep nothing for a page, or have no room: then the tenant is asked for each time. */
function withStorage<T>(use: (shelf: Storage) => T): T | undefined {
	try {
		return use(localStorage);
	} catch {
		return undefined;
	}
}
