import type { ClientConfig } from "../options/options.ts";

/** The number of last used outlets stored for a tenant. */
const lastUsedMax = 20;

export type OutletStore = ReturnType<typeof createOutletStore>;

/** A person in a tenant. */
export type OutletOwner = { tenantId: string; userId: string };

/**
 * Stores the selected outlet of this tab under `{service}-selected-outlet-id` (§5.15), and in the browser for
 * the person and the tenant: new tabs and later sign-ins restore it. Also stores the last used outlets of
 * each tenant. A sign-out removes all keys of the service (§5.13), but not the outlet of the person.
 */
export function createOutletStore({
	service,
	tab,
	browser,
}: Pick<ClientConfig, "service" | "tab" | "browser">) {
	const key = `${service?.name}-selected-outlet-id`;
	const keptKey = ({ tenantId, userId }: OutletOwner) =>
		`lango-outlet:${service?.name}:${tenantId}:${userId}`;
	const lastUsedKey = (tenantSlug: string) => `${service?.name}:${tenantSlug}:last-used-outlet-ids`;
	const lastUsed = (tenantSlug: string) =>
		(browser.get(lastUsedKey(tenantSlug)) ?? "").split(",").filter((id) => id !== "");
	return {
		/** The outlet of this tab, else the one that the person selected last in this browser. */
		get: (owner: OutletOwner) => tab.get(key) ?? browser.get(keptKey(owner)),
		/** The outlet that the person selected last in this browser. */
		kept: (owner: OutletOwner) => browser.get(keptKey(owner)),
		/** The last used outlets of a tenant, the latest first. */
		lastUsed,
		set(outletId: string, { tenantSlug, ...owner }: OutletOwner & { tenantSlug: string }) {
			tab.set(key, outletId);
			browser.set(keptKey(owner), outletId);
			if (outletId === "all") return;
			const others = lastUsed(tenantSlug).filter((id) => id !== outletId);
			browser.set(lastUsedKey(tenantSlug), [outletId, ...others].slice(0, lastUsedMax).join(","));
		},
		/** Removes the outlet of the person from this tab and this browser. */
		clear(owner: OutletOwner) {
			tab.remove(key);
			browser.remove(keptKey(owner));
		},
		/** Removes all keys of the service from both storages. */
		clearAll() {
			for (const storage of [tab, browser]) storage.removeAll([`${service?.name}-`, `${service?.name}:`]);
		},
	};
}
