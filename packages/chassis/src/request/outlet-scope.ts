import { outletsOfPerson, type Person } from "@lango/access";
import { type AccessTokenClaims, tokenOutletsMax } from "@lango/contracts";
import type { OutletFilter, OutletScope } from "@lango/postgres";
import { isUuid } from "@lango/postgres";
import type { Call, Caller } from "./call.ts";
import type { RouteRules } from "./route.ts";

type OutletClaims = Pick<AccessTokenClaims, "outlet_scope" | "outlet_id">;

/**
 * The outlets whose rows a person may read and change with a token: the selected one, or all outlets of
 * the person. People of the headquarters are not limited. An outlet that a newer event removed is in no
 * scope. A person with more than 50 outlets has an empty scope until they select one, and so has a token
 * without outlet claims, from an older release.
 */
export function scopeOfPerson(
	{ outlet_scope: stated, outlet_id: selected = "" }: OutletClaims,
	person: Pick<Person, "isHq" | "outlets">,
): OutletScope {
	const bound = outletsOfPerson(person);
	if (person.isHq) return bound;
	if (stated === "selected" || (stated === undefined && selected !== "")) {
		const { assigned, active } = person.outlets;
		const id = selected.toLowerCase();
		return assigned.includes(id) || active.includes(id) ? [id] : [];
	}
	if (stated === undefined) return [];
	// The sign-on issues `all` in a tenant without active outlets. An `unselected` token is for a tenant
	// whose outlets are not known here yet.
	if (bound === "all") return stated === "all" ? bound : [];
	return bound.length > tokenOutletsMax ? [] : bound;
}

/** The outlet scope of the caller; pending people have none. */
export function scopeOfCaller(caller: Caller, person: Person | undefined): OutletScope {
	if (caller.kind === "key") return caller.outletIds ?? "all";
	if (caller.kind === "client" || caller.isPlatformOwner) return "all";
	const { claims, isIssuedHere } = caller;
	const own = claims.outlet_id?.toLowerCase() ?? "";
	if (isIssuedHere) return isUuid(own) ? [own] : [];
	return person === undefined ? [] : scopeOfPerson(claims, person);
}

/** Whether a scope admits an outlet; null means every outlet. */
export function isWithin(scope: OutletScope, outletId: string | null): boolean {
	return scope === "all" || (outletId !== null && scope.includes(outletId.toLowerCase()));
}

/**
 * Whether a caller with these permissions is a customer of a route: in the modules of its permissions they
 * may only add, and manage their own rows. A customer is bound by ownership and not by outlet.
 */
export function isCustomerOf(held: readonly string[], { access }: RouteRules): boolean {
	if (access.kind !== "permit" || access.permissions.length === 0) return false;
	const modules = access.permissions.map((code) => code.slice(0, code.lastIndexOf(".") + 1));
	const there = held.filter((code) => modules.some((module) => code.startsWith(module)));
	return there.length > 0 && there.every((code) => code.endsWith(".add") || code.endsWith("_own"));
}

type Narrowing = { scope?: OutletScope | undefined } & Pick<Call, "outletId" | "isUnbound">;

/**
 * The filter of a statement of this request: the outlet of the header, else the whole scope and rows
 * without an outlet.
 */
export function filterOf({ scope = "all", outletId, isUnbound }: Narrowing): OutletFilter {
	if (outletId !== undefined) return [outletId];
	return scope === "all" || isUnbound === true ? null : [...scope, null];
}

/** The scope of the database policies in this request, in case a statement lacks the filter. */
export function databaseScopeOf(
	{ scope = "all", outletId, isUnbound }: Narrowing,
	rules: RouteRules,
): OutletScope {
	if (rules.outlets !== undefined || isUnbound === true) return "all";
	return outletId === undefined ? scope : [outletId];
}

/**
 * The outlet of a new row without a named one: that of the header, else the only one of the scope, else
 * none.
 */
export function usualOutletOf({
	scope = "all",
	outletId,
	isCustomer,
}: Narrowing & Pick<Call, "isCustomer">): string | undefined {
	if (outletId !== undefined || scope === "all" || isCustomer === true) return outletId;
	return scope.length === 1 ? scope[0] : undefined;
}
