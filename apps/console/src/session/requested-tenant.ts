import { withTabStorage } from "./tab-storage.ts";

const requestedKey = "lango-console-requested";
const refusedKey = "lango-console-refused";

/** The tenant of a started sign-in, and the path to open after it. */
type RequestedTenant = { tenant: string; path: string };

/** Stores the tenant of a sign-in that starts, and clears an earlier refusal. */
export function noteRequestedTenant(requested: RequestedTenant): void {
	withTabStorage((tab) => {
		tab.setItem(requestedKey, JSON.stringify(requested));
		tab.removeItem(refusedKey);
	});
}

/**
 * Stores that the sign-on service refused the tenant. Returns the requested path; undefined if this tab did
 * not request the tenant, or has no storage.
 */
export function noteRefusedTenant(tenant: string): string | undefined {
	return withTabStorage((tab) => {
		const requested = JSON.parse(tab.getItem(requestedKey) ?? "null") as RequestedTenant | null;
		tab.removeItem(requestedKey);
		if (requested?.tenant !== tenant) return undefined;
		tab.setItem(refusedKey, tenant);
		return requested.path;
	});
}

/** The tenant that the sign-on service has just refused. Another request would start a loop. */
export function findRefusedTenant(): string | undefined {
	return withTabStorage((tab) => tab.getItem(refusedKey)) ?? undefined;
}
