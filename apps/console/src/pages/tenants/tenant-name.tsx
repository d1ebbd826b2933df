import { useTenantOf } from "./use-tenant-of.ts";

/** The name of an organisation by its id; the id while it loads. */
export function TenantName({ id }: { id: string }) {
	return useTenantOf(id).name ?? id;
}
