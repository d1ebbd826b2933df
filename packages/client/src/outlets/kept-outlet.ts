import type { Means } from "../means.ts";

/** How many outlets of a tenant are remembered as last used. */
const lastUsedMax = 20;

/**
 * The outlet of this tab, under `{service}-selected-outlet-id` (§5.15), and apart from it which outlets of a tenant were worked at on this
 * device: no secret, so the browser keeps it beyond the tab and the sign-out.
 */
export function keepOutlet({ service, tab, browser }: Pick<Means, "service" | "tab" | "browser">) {
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
	};
}
