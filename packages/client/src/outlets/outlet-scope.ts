import type { AccessTokenClaims } from "@lango/contracts";

/** The outlets for which services accept an access token. */
export type OutletScope =
	/** Every single outlet, and all outlets together. */
	| { readonly kind: "all" }
	| { readonly kind: "some"; readonly outletIds: readonly string[] }
	/** No outlet is assigned, for example to a customer. Every active outlet may be selected. */
	| { readonly kind: "any" };

/**
 * Reads the scope from the claims of an access token. A token without `outlet_scope` was issued by an older
 * release.
 */
export function outletScopeOf(claims: Partial<AccessTokenClaims>): OutletScope {
	const { outlet_scope, outlet_id = "", outlet_ids = [], is_hq_user = false } = claims;
	const isSelected =
		outlet_scope === undefined ? outlet_id !== "" && !is_hq_user : outlet_scope === "selected";
	if (isSelected) return { kind: "some", outletIds: [outlet_id] };
	if (outlet_scope === "all" || (outlet_scope === undefined && is_hq_user)) return { kind: "all" };
	return outlet_ids.length === 0 ? { kind: "any" } : { kind: "some", outletIds: outlet_ids };
}

/** The person and tenant of an access token: the owner of a stored outlet. */
export const ownerOf = ({ tenant_id = "", sub = "" }: Partial<AccessTokenClaims>) => ({
	tenantId: tenant_id,
	userId: sub,
});

/** Returns whether the outlet may be sent as X-Outlet-ID with a token of this scope. */
export const isInScope = (scope: OutletScope, outletId: string): boolean =>
	scope.kind !== "some" || scope.outletIds.includes(outletId);

/** Returns whether a person may select this outlet; `all` means all outlets together. */
export const mayChoose = (scope: OutletScope, outletId: string): boolean =>
	outletId === "all" ? scope.kind === "all" : isInScope(scope, outletId);
