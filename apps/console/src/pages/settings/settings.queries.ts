import type { TenantSettings, TenantSettingsChange } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";

export const settingsKey = (slug: string) => ["tenant-settings", slug];

const addressOf = (platform: Platform, slug: string) => `${tenantAddress(platform, slug)}/settings`;

/** What an administrator may change of a tenant, as it is now. */
export function settingsQuery(platform: Platform, slug: string) {
	return queryOptions({
		queryKey: settingsKey(slug),
		queryFn: ({ signal }) => platform.client.call<TenantSettings>(addressOf(platform, slug), { signal }),
	});
}

/** Changes what is named and leaves the rest. */
export function changeSettings(
	platform: Platform,
	{ slug, change }: { slug: string; change: TenantSettingsChange },
): Promise<TenantSettings> {
	return platform.client.call<TenantSettings>(addressOf(platform, slug), { method: "PATCH", body: change });
}

/** An upload over a slow connection takes longer than the client waits for other answers. */
const uploadMilliseconds = 120_000;

/** Uploads an image as the tenant's logo. */
export function uploadLogo(
	platform: Platform,
	{ slug, image }: { slug: string; image: Blob },
): Promise<TenantSettings> {
	return platform.client.call<TenantSettings>(`${tenantAddress(platform, slug)}/logo`, {
		method: "PUT",
		body: image,
		timeoutMilliseconds: uploadMilliseconds,
	});
}

/** Removes the tenant's logo, an uploaded one or an address of an earlier release. */
export function removeLogo(platform: Platform, slug: string): Promise<unknown> {
	return platform.client.call(`${tenantAddress(platform, slug)}/logo`, { method: "DELETE" });
}
