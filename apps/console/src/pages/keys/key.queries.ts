import { listPage } from "@lango/client";
import type { AdminKey } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

export const keysKey = ["keys"];

const addressOf = ({ settings }: Platform) => `${settings.authUrl}/api/v1/admin/keys`;

/** The published keys, newest first. They fit on one page. */
export function keysQuery(platform: Platform) {
	return queryOptions({
		queryKey: keysKey,
		queryFn: async ({ signal }) =>
			(await listPage<AdminKey>(platform.client, addressOf(platform), { signal })).items,
	});
}

export type Rotated = { outcome: "prepared" | "changed" | "waiting"; keys: AdminKey[] };

/** Publishes new keys, or activates those that were published long enough ago. */
export function askForNewKeys(platform: Platform): Promise<Rotated> {
	return platform.client.call<Rotated>(`${addressOf(platform)}/rotate`, { method: "POST" });
}

/** Removes a key at once. */
export function revokeKey(platform: Platform, kid: string): Promise<unknown> {
	return platform.client.call(`${addressOf(platform)}/${encodeURIComponent(kid)}/revoke`, { method: "POST" });
}
