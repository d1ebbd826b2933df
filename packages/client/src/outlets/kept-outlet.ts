import type { ClientConfig } from "../options.ts";

/** How many outlets of a tenant are remembered as last used. */
const lastUsedMax = 20;

/**
 * The outlet of this tab, under `{service}-selected-outlet-id` (§5.15), and apart from it which outlets
 * of a tenant were used last in this browser, which outlives the tab. A sign-out removes every key of the
 * service (§5.13).
 */
export function keepOutlet({ service, tab, browser }: Pick<ClientConfig, "service" | "tab" | "browser">) {
	const key = `${service?.name}-selected-outlet-id`;
	const lastUsedKey = (tenantSlug: string) => `${service?.name}:${tenantSlug}:last-used-outlet-ids`;
	const lastUsed = (tenantSlug: string) =>
		(browser.get(lastUsedKey(tenantSlug)) ?? "").split(",").filter((id) => id !== "");
	return {
		get: () => tab.get(key),
		/** The outlets of the tenant that were worked at, the latest first. */
		lastUsed,
		set(outletId: string, tenantSlug: string) {
			tab.set(key, outletId);
			if (outletId === "all") return;
			const others = lastUsed(tenantSlug).filter((id) => id !== outletId);
			browser.set(lastUsedKey(tenantSlug), [outletId, ...others].slice(0, lastUsedMax).join(","));
		},
		clear: () => tab.remove(key),
		/** Removes every key of the service, of the tab and of the browser. */
		forget() {
			for (const storage of [tab, browser]) storage.removeAll([`${service?.name}-`, `${service?.name}:`]);
		},
	};
}
