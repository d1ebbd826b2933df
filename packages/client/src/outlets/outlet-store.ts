import type { ClientConfig } from "../options/options.ts";

/** The number of last used outlets stored for a tenant. */
const lastUsedMax = 20;

export type OutletStore = ReturnType<typeof createOutletStore>;

/**
 * Stores the selected outlet of this tab under `{service}-selected-outlet-id` (§5.15), and the last used
 * outlets of each tenant in the storage of the browser. A sign-out removes all keys of the service (§5.13).
 */
export function createOutletStore({
	service,
	tab,
	browser,
}: Pick<ClientConfig, "service" | "tab" | "browser">) {
	const key = `${service?.name}-selected-outlet-id`;
	const lastUsedKey = (tenantSlug: string) => `${service?.name}:${tenantSlug}:last-used-outlet-ids`;
	const lastUsed = (tenantSlug: string) =>
		(browser.get(lastUsedKey(tenantSlug)) ?? "").split(",").filter((id) => id !== "");
	return {
		get: () => tab.get(key),
		/** The last used outlets of a tenant, the latest first. */
		lastUsed,
		set(outletId: string, tenantSlug: string) {
			tab.set(key, outletId);
			if (outletId === "all") return;
			const others = lastUsed(tenantSlug).filter((id) => id !== outletId);
			browser.set(lastUsedKey(tenantSlug), [outletId, ...others].slice(0, lastUsedMax).join(","));
		},
		clear: () => tab.remove(key),
		/** Removes all keys of the service from both storages. */
		clearAll() {
			for (const storage of [tab, browser]) storage.removeAll([`${service?.name}-`, `${service?.name}:`]);
		},
	};
}
