import { useQuery } from "@tanstack/react-query";
import { useSettings } from "../settings.ts";
import { tenantQuery } from "./tenant.queries.ts";

/** The time zone of a tenant, which its people's times are shown in; the device's as long as it is not known. */
export function useZone(slug: string): string {
	const { authUrl } = useSettings();
	const { data } = useQuery(tenantQuery(authUrl, slug));
	return data?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
