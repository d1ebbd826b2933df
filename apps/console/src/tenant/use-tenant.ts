import type { PublicTenant } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { usePlatform } from "../platform.ts";
import { tenantQuery } from "./tenant.queries.ts";

/** The slug in the address. */
export function useSlug(): string {
	const { slug = "" } = useParams({ strict: false });
	return slug;
}

/** The tenant whose pages are open; undefined while it loads. Other services identify it by `id`. */
export function useTenant(): PublicTenant | undefined {
	return useQuery(tenantQuery(usePlatform(), useSlug())).data ?? undefined;
}

/** The time zone of the open tenant; the device's while the tenant loads. */
export function useZone(): string {
	return useTenant()?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
