import type { PublicOutlet } from "@lango/contracts";

const storageKey = "accounts-selected-outlet-id";

/** The outlets one can work at: open ones that are no headquarters, the one chosen last time first (§5.15), then by name. */
export function orderOutlets(outlets: readonly PublicOutlet[], lastId: string | null): PublicOutlet[] {
	const offered = outlets.filter(({ status, is_hq }) => status === "active" && !is_hq);
	const rank = ({ id }: PublicOutlet) => (id === lastId ? 0 : 1);
	return offered.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

/** The outlet that was chosen on this device last time. */
export function lastOutletId(): string | null {
	try {
		return localStorage.getItem(storageKey);
	} catch {
		return null;
	}
}

/** Remembers a choice for the next time. */
export function rememberOutlet(id: string): void {
	try {
		localStorage.setItem(storageKey, id);
	} catch {
		// A browser that keeps nothing for this page shows the outlets by name the next time; the choice itself is made.
	}
}
