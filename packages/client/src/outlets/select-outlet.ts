import type { PublicOutlet } from "@lango/contracts";
import { isInScope, type OutletScope } from "./outlet-scope.ts";

/** The outlet of a front end. */
export type OutletState =
	/** There is no choice: no service, no outlets, or a person without assigned outlets, such as a customer. */
	| { readonly kind: "none" }
	/** All outlets together. Available only if the scope of the token is `all`. */
	| { readonly kind: "all" }
	| { readonly kind: "selected"; readonly outletId: string }
	/** The person has several outlets and must choose one of these. The last used ones come first. */
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

/**
 * Restores the stored outlet, or selects the only one in scope (§5.15). With several, only people who are
 * bound to some of them must choose: headquarters people have all outlets, and customers none.
 */
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
	if (others.length === 0) return { kind: "selected", outletId: only.id };
	if (scope.kind === "all") return { kind: "all" };
	return scope.kind === "any" ? { kind: "none" } : { kind: "choosing", outlets: open };
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
