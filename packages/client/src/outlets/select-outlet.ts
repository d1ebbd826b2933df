import type { PublicOutlet } from "@lango/contracts";
import { isInScope, type OutletScope } from "./outlet-scope.ts";

/** The outlet of a front end. */
export type OutletState =
	/** There is no choice: the client has no service, or the tenant has no outlets. */
	| { readonly kind: "none" }
	/** All outlets together. Available only if the scope of the token is `all`. */
	| { readonly kind: "all" }
	| { readonly kind: "selected"; readonly outletId: string }
	/** The person must choose one of these outlets. The last used ones come first. */
	| { readonly kind: "choosing"; readonly outlets: readonly PublicOutlet[] };

export type OutletPreferences = {
	scope: OutletScope;
	/** The stored outlet; `all` for all outlets. */
	stored: string | undefined;
	lastUsed: readonly string[];
};

/**
 * Selects the outlet of the session. Returns undefined if the session has no outlet or the scope is `all`;
 * then the list of outlets is needed (§5.15).
 */
export function preselectOutlet(scope: OutletScope, outletId: string): OutletState | undefined {
	return outletId !== "" && scope.kind !== "all" ? { kind: "selected", outletId } : undefined;
}

/** Restores the stored outlet, selects the only one in scope, or offers those in scope (§5.15). */
export function selectOutlet(
	outlets: readonly PublicOutlet[],
	{ stored, scope, lastUsed }: OutletPreferences,
): OutletState {
	const open = listOpenOutlets(outlets, lastUsed).filter(({ id }) => isInScope(scope, id));
	if (stored === "all" && scope.kind === "all") return { kind: "all" };
	if (stored !== undefined && open.some(({ id }) => id === stored))
		return { kind: "selected", outletId: stored };
	const [only, ...others] = open;
	if (only === undefined) return { kind: "none" };
	return others.length === 0 ? { kind: "selected", outletId: only.id } : { kind: "choosing", outlets: open };
}

/** The outlets without archived ones, the last used first, the others in their order (§2.2, §5.15). */
export function listOpenOutlets(
	outlets: readonly PublicOutlet[],
	lastUsed: readonly string[],
): readonly PublicOutlet[] {
	const rank = ({ id }: PublicOutlet) => {
		const index = lastUsed.indexOf(id);
		return index === -1 ? lastUsed.length : index;
	};
	return outlets.filter(({ status }) => status !== "archived").toSorted((a, b) => rank(a) - rank(b));
}
