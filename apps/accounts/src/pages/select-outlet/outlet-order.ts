import type { PublicOutlet } from "@lango/contracts";

const storageKey = "accounts-selected-outlet-id";

type Offer = {
	/** The outlets the service names; undefined where it names none: then all are offered that are not archived (§2.2). */
	ids: readonly string[] | undefined;
	/** The one chosen last time. */
	lastId: string | null;
};

/** The outlets one may choose, headquarters too: the one chosen last time first (§5.15), then by name. */
export function orderOutlets(outlets: readonly PublicOutlet[], { ids, lastId }: Offer): PublicOutlet[] {
	const offered = outlets.filter(({ id, status }) => ids?.includes(id) ?? status !== "archived");
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
