import { useQuery } from "@tanstack/react-query";
import { useSettings } from "../settings.ts";
import { tenantQuery } from "./tenant.queries.ts";

/** The time zone of a tenant; the time zone of the device until it is loaded. */
export function useZone(slug: string): string {
	const { authUrl } = useSettings();
	const { data } = useQuery(tenantQuery(authUrl, slug));
	return data?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
