import { ClientError } from "@lango/client";
import type { PublicTenant } from "@lango/contracts";
import { findShelved, shelve } from "@lango/interface";
import type { Platform } from "../platform.ts";

/** The public name and branding of a tenant that this browser stored in the last six hours (§8). */
export function findStoredTenant(slug: string) {
	return withStorage((shelf) => findShelved(shelf, slug, Date.now()));
}

/** Fetches and stores the name and branding of a tenant by slug; null if not found. Throws a ClientError. */
export async function findTenant({ client, settings }: Platform, slug: string): Promise<PublicTenant | null> {
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

/** The stored tenant, else the fetched one. */
export async function findKnownTenant(platform: Platform, slug: string): Promise<PublicTenant | null> {
	return findStoredTenant(slug)?.tenant ?? (await findTenant(platform, slug));
}

/** Without storage, the tenant is loaded each time. */
function withStorage<T>(use: (shelf: Storage) => T): T | undefined {
	try {
		return use(localStorage);
	} catch {
		return undefined;
	}
}
