import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../platform.ts";
import { oneTenantQuery } from "./tenant.queries.ts";

/** An organisation for the platform owner: its name and slug, as soon as they are loaded. */
export function useTenantOf(id: string | null): { name: string | undefined; slug: string | undefined } {
	const { data } = useQuery({ ...oneTenantQuery(usePlatform(), id ?? ""), enabled: id !== null });
	return { name: data?.name, slug: data?.slug };
}
