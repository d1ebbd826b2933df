import type { PublicOutlet } from "@lango/contracts";

const storageKey = "accounts-selected-outlet-id";

type Offer = {
	/** The outlets that may be selected. If undefined, all that are not archived are offered (§2.2). */
	ids: readonly string[] | undefined;
	/** The last selected outlet. */
	lastId: string | null;
};

/** The outlets to offer, with the headquarters: the last selected one first (§5.15), then by name. */
export function orderOutlets(outlets: readonly PublicOutlet[], { ids, lastId }: Offer): PublicOutlet[] {
	const offered = outlets.filter(({ id, status }) => ids?.includes(id) ?? status !== "archived");
	const rank = ({ id }: PublicOutlet) => (id === lastId ? 0 : 1);
	return offered.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

/** The last selected outlet of this browser. */
export function lastOutletId(): string | null {
	try {
		return localStorage.getItem(storageKey);
	} catch {
		return null;
	}
}

/** Stores the selected outlet. */
export function rememberOutlet(id: string): void {
	try {
		localStorage.setItem(storageKey, id);
	} catch {
		// Without storage the next selection is ordered by name only.
	}
}
