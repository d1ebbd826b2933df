import type { PublicOutlet, PublicTenant } from "@lango/contracts";
import { findShelved, shelve, tenantFreshMilliseconds } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import { ask } from "../session/ask.ts";
import { Refusal } from "../session/refusal.ts";

/** The tenant of a slug by name and branding, or null when there is none; asked for anew after six hours. */
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
		const tenant = (await ask(address)) as PublicTenant;
		withStorage((shelf) => shelve(shelf, tenant, Date.now()));
		return tenant;
	} catch (error) {
		// 400: a text that cannot be a slug is one nobody has.
		if (error instanceof Refusal && (error.status === 404 || error.status === 400)) return null;
		throw error;
	}
}

/** A tenant's outlets as anybody may see them (§4.1). */
export function outletsQuery(authUrl: string, slug: string) {
	return queryOptions({
		queryKey: ["outlets", authUrl, slug],
		queryFn: async () => {
			const address = `${authUrl}/api/v1/tenants/${encodeURIComponent(slug)}/outlets`;
			return (await ask(address)) as PublicOutlet[];
		},
		retry: 1,
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
