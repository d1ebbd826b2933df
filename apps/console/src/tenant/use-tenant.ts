import type { PublicTenant } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { usePlatform } from "../platform.ts";
import { tenantQuery } from "./tenant.queries.ts";

/** The tenant whose pages are open; undefined while it is not known. Its `id` is what other services name it by. */
export function useTenant(): PublicTenant | undefined {
	const { slug = "" } = useParams({ strict: false });
	return useQuery(tenantQuery(usePlatform(), slug)).data ?? undefined;
}

/** The time zone of the tenant whose pages are open; the device's as long as it is not known. */
export function useZone(): string {
	return useTenant()?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
