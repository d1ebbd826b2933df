import type { PublicOutlet } from "@lango/contracts";

/** Which outlet the front end works at. */
export type OutletStanding =
	/** Nothing is to be chosen: no service, or a tenant without outlets. */
	| { readonly kind: "none" }
	/** Every outlet: what people of headquarters may take. */
	| { readonly kind: "all" }
	| { readonly kind: "selected"; readonly outletId: string }
	/** The selector page is next, with these, the last used first. */
	| { readonly kind: "choosing"; readonly outlets: readonly PublicOutlet[] };

export type Preselection = {
	/** The outlet of the session, empty when there is none. */
	outletId: string;
	isHqUser: boolean;
};

export type Choosing = {
	isHqUser: boolean;
	/** What was kept under `{service}-selected-outlet-id`; `all` for every outlet. */
	stored: string | undefined;
	lastUsed: readonly string[];
};

/** The outlet that follows without a list, and undefined when the list must be asked for (§5.15). */
export function preselectOutlet({ outletId, isHqUser }: Preselection): OutletStanding | undefined {
	return outletId !== "" && !isHqUser ? { kind: "selected", outletId } : undefined;
}

/** Restores the stored outlet, takes a single one by itself, or leaves the choice (§5.15). */
export function chooseFrom(
	outlets: readonly PublicOutlet[],
	{ stored, isHqUser, lastUsed }: Choosing,
): OutletStanding {
	const open = listOpenOutlets(outlets, lastUsed);
	if (stored === "all" && isHqUser) return { kind: "all" };
	if (stored !== undefined && open.some(({ id }) => id === stored))
		return { kind: "selected", outletId: stored };
	const [only, ...others] = open;
	if (only === undefined) return { kind: "none" };
	return others.length === 0 ? { kind: "selected", outletId: only.id } : { kind: "choosing", outlets: open };
}

/** The outlets to show: archived ones are left out, the last used come first, the rest stay in their order (§2.2, §5.15). */
export function listOpenOutlets(
	outlets: readonly PublicOutlet[],
	lastUsed: readonly string[],
): readonly PublicOutlet[] {
	const rank = ({ id }: PublicOutlet) => {
		const at = lastUsed.indexOf(id);
		return at === -1 ? lastUsed.length : at;
	};
	return outlets.filter(({ status }) => status !== "archived").toSorted((a, b) => rank(a) - rank(b));
}
