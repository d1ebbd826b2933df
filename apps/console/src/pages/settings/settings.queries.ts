import type { TenantSettings, TenantSettingsChange } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";

export const settingsKey = (slug: string) => ["tenant-settings", slug];

const addressOf = (platform: Platform, slug: string) => `${tenantAddress(platform, slug)}/settings`;

/** The settings of a tenant that an administrator may change. */
export function settingsQuery(platform: Platform, slug: string) {
	return queryOptions({
		queryKey: settingsKey(slug),
		queryFn: ({ signal }) => platform.client.call<TenantSettings>(addressOf(platform, slug), { signal }),
	});
}

/** Changes the given settings only. */
export function changeSettings(
	platform: Platform,
	{ slug, change }: { slug: string; change: TenantSettingsChange },
): Promise<TenantSettings> {
	return platform.client.call<TenantSettings>(addressOf(platform, slug), { method: "PATCH", body: change });
}

/** An upload over a slow connection takes longer than the default timeout of the client. */
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

/** Removes the tenant's logo, uploaded or linked by an earlier release. */
export function removeLogo(platform: Platform, slug: string): Promise<unknown> {
	return platform.client.call(`${tenantAddress(platform, slug)}/logo`, { method: "DELETE" });
}
