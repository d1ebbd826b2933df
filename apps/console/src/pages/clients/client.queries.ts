import type { AdminClient, ClientChange, NewClient } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

export const clientsKey = ["clients"];

/** The address of the list of applications. */
export const clientsAddress = ({ settings }: Platform) => `${settings.authUrl}/api/v1/admin/clients`;

const addressOf = (platform: Platform, clientId: string) =>
	`${clientsAddress(platform)}/${encodeURIComponent(clientId)}`;

/** An application, with its secret if it was just created. The secret is returned once. */
export type WithSecret = AdminClient & { client_secret?: string };

export function clientQuery(platform: Platform, clientId: string) {
	return queryOptions({
		queryKey: [...clientsKey, "one", clientId],
		queryFn: ({ signal }) => platform.client.call<AdminClient>(addressOf(platform, clientId), { signal }),
	});
}

export function registerClient(platform: Platform, body: NewClient): Promise<WithSecret> {
	return platform.client.call<WithSecret>(clientsAddress(platform), { method: "POST", body });
}

/** Changes the given fields of an application, or rotates its secret. */
export function changeClient(
	platform: Platform,
	{ clientId, change }: { clientId: string; change: ClientChange },
): Promise<WithSecret> {
	return platform.client.call<WithSecret>(addressOf(platform, clientId), { method: "PATCH", body: change });
}

export function removeClient(platform: Platform, clientId: string): Promise<unknown> {
	return platform.client.call(addressOf(platform, clientId), { method: "DELETE" });
}
