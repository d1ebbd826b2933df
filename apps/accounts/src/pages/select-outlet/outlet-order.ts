import type { PublicOutlet } from "@lango/contracts";
import { compareNames } from "@lango/interface";

type Owner = { tenant_id: string; user_id: string };

const keyOf = ({ tenant_id, user_id }: Owner) => `lango-outlet:accounts:${tenant_id}:${user_id}`;

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
	return offered.sort((one, other) => rank(one) - rank(other) || compareNames(one.name, other.name));
}

/** The outlet that the person selected last in this tenant and this browser. */
export function lastOutletId(owner: Owner): string | null {
	try {
		return localStorage.getItem(keyOf(owner));
	} catch {
		return null;
	}
}

/** Stores the selected outlet. */
export function rememberOutlet(owner: Owner, id: string): void {
	try {
		localStorage.setItem(keyOf(owner), id);
	} catch {
		// Without storage it is asked for again.
	}
}
