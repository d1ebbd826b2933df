import type { PublicOutlet } from "@lango/contracts";
import { isInScope, type OutletScope } from "./outlet-scope.ts";

/** Which outlet the front end works at. */
export type OutletStanding =
	/** Nothing is to be chosen: no service, or a tenant without outlets. */
	| { readonly kind: "none" }
	/** Every outlet: offered where the token's scope is `all`. */
	| { readonly kind: "all" }
	| { readonly kind: "selected"; readonly outletId: string }
	/** The selector page is next, with these, the last used first. */
	| { readonly kind: "choosing"; readonly outlets: readonly PublicOutlet[] };

export type Choosing = {
	scope: OutletScope;
	/** What was kept under `{service}-selected-outlet-id`; `all` for every outlet. */
	stored: string | undefined;
	lastUsed: readonly string[];
};

/** The outlet of the session; undefined if it has none or its person is not bound to it, so that the list is needed (§5.15). */
export function preselectOutlet(scope: OutletScope, outletId: string): OutletStanding | undefined {
	return outletId !== "" && scope.kind !== "all" ? { kind: "selected", outletId } : undefined;
}

/** Restores the stored outlet, takes the only one in scope, or leaves the choice among those in scope (§5.15). */
export function chooseFrom(
	outlets: readonly PublicOutlet[],
	{ stored, scope, lastUsed }: Choosing,
): OutletStanding {
	const open = listOpenOutlets(outlets, lastUsed).filter(({ id }) => isInScope(scope, id));
	if (stored === "all" && scope.kind === "all") return { kind: "all" };
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
