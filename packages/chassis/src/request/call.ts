import type { Person } from "@lango/access";
import type { AccessTokenClaims, OutletIsolation } from "@lango/contracts";
import type { OutletFilter, OutletScope } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import { chassisFailures } from "./failure.ts";
import { filterOf, isWithin, usualOutletOf } from "./outlet-scope.ts";

/** The caller, as the credential states it. */
export type Caller =
	| {
			kind: "user";
			userId: string;
			claims: AccessTokenClaims;
			/** The scopes of the token. The pipeline requires `lango.api` unless the route declares another. */
			scopes: ReadonlySet<string>;
			isSuperuser: boolean;
			/** Superuser of the platform-owner tenant: no tenant isolation, no subscription (spec §5.9). */
			isPlatformOwner: boolean;
			/**
			 * The token is the service's own: it changes nothing of the person, grants no more than it names, and
			 * stays at its outlet.
			 */
			isIssuedHere?: true;
	  }
	/** A program with a token of its own (client_credentials): no person, permissions from its scope. */
	| { kind: "client"; clientId: string; claims: AccessTokenClaims }
	/** A program with an API key; `tenantId` undefined means the key is good for all tenants. */
	| {
			kind: "key";
			keyId: string;
			tenantId: string | undefined;
			permissions: readonly string[];
			expiresAt?: Date | undefined;
			/** The outlets the key was made for; undefined: every one. */
			outletIds?: readonly string[] | undefined;
	  };

/** What the pipeline has learned about a request; each step fills in its own member. */
export type Call = {
	caller?: Caller;
	/** The tenant the request is about. */
	tenant?: { id: string; slug: string; outletIsolation?: OutletIsolation };
	/**
	 * Local id and service role of the person, in services that keep local users; at the outlet on routes
	 * that keep to it.
	 */
	user?: { id: string; serviceRole: string | null; permissions: readonly string[] };
	/**
	 * All grants of the person, including those at single outlets; undefined for programs and for pending
	 * people.
	 */
	person?: Person;
	/**
	 * The outlets of the caller, after provisioning; undefined on routes without a caller, which are not
	 * limited.
	 */
	scope?: OutletScope;
	/** The outlet that X-Outlet-ID narrows the request to. */
	outletId?: string;
	/** The caller is a customer of the route: bound by ownership and not by outlet. */
	isCustomer?: true;
	/**
	 * The request is not limited to the scope: a customer's, or a read in a tenant whose outlet isolation is
	 * open.
	 */
	isUnbound?: true;
	/** The handler asked for the outlets to filter by, or for the caller's rights where its effect is. */
	isOutletAsked?: true;
	/** The owner whose rows the caller may see or change on this route; undefined means all rows. */
	owner?: Owner;
	/** The handler asked for the owner to filter by. */
	isOwnerAsked?: true;
	/** The value of the route's limit in the plan; -1 means unlimited. */
	limit?: number;
	/**
	 * The platform owner under the platform's own address, naming no tenant: lists are of all tenants (spec
	 * §4.3).
	 */
	isAcrossTenants?: true;
	/** The tenant's slot that the request holds. */
	slot?: TenantSlot;
	/**
	 * The checks that the caller passed by a special right. Each request with such a check writes an audit
	 * entry.
	 */
	passed?: SpecialPass[];
};

/** A slot that a request holds until its response has ended. */
export type TenantSlot = {
	/** Gives the slot back until `resume`. */
	pause(): void;
	/** Takes a slot again. Refuses with 429 `tenant_busy` when all are taken. */
	resume(): void;
};

/** A check of the pipeline that superusers and the platform owner pass (spec §5.9, §5.10). */
export type SpecialPass = "tenant" | "subscription" | "outlet" | "permission";

/** A person who owns things. */
export type Owner = {
	/** The local id, of the service's table `users`. */
	id: string;
	/** The person's id at the sign-on service. */
	userId: string;
};

export type UserCaller = Extract<Caller, { kind: "user" }>;

/** Where a request has its call. */
export const callKey = Symbol("call");

/** The call of a request; begun empty at first sight. */
export function callOf(request: FastifyRequest): Call {
	const begun = request as { [callKey]?: Call };
	begun[callKey] ??= {};
	return begun[callKey];
}

/** The caller of a guarded route. Throws an Error on an open one: that is a bug of the route. */
export function callerOf(request: FastifyRequest): Caller {
	const { caller } = callOf(request);
	if (caller === undefined)
		throw new Error(`${request.routeOptions.url} asks who is calling but does not guard its door`);
	return caller;
}

/**
 * The tenant of a tenant-scoped route. Throws `tenant_required` when the platform owner named none, and an
 * Error on a route that has none: that is a bug of the route.
 */
export function tenantOf(request: FastifyRequest): { id: string; slug: string } {
	const { tenant, isAcrossTenants } = callOf(request);
	if (isAcrossTenants === true) throw chassisFailures.tenant_required();
	if (tenant === undefined) throw new Error(`${request.routeOptions.url} has no tenant`);
	return tenant;
}

/**
 * The owner to filter by on a route that admits an `_own` permission: only rows of this owner, or all rows
 * if undefined. The handler of such a route must call it.
 */
export function ownerOf(request: FastifyRequest): Owner | undefined {
	const call = callOf(request);
	call.isOwnerAsked = true;
	return call.owner;
}

/**
 * The outlets whose rows this request may see and change: the parameter of `withinOutlets` in its
 * statements. The handler of a route that is not tenant-wide must ask for it, for `outletFor`, or for
 * rights (`requireRight`).
 */
export function outletsOf(request: FastifyRequest): OutletFilter {
	const call = callOf(request);
	call.isOutletAsked = true;
	return filterOf(call);
}

/** The outlets of the caller, whatever X-Outlet-ID says: to compare what is changed with. */
export function scopeOf(request: FastifyRequest): OutletScope {
	const call = callOf(request);
	call.isOutletAsked = true;
	return call.scope ?? "all";
}

/**
 * The outlet of a new row: the named one, else that of X-Outlet-ID, else the only one of the caller's
 * scope, else none. Throws 403 `outlet_forbidden` if the named outlet is outside of the scope. It may be
 * archived: see `requireOutlet`.
 */
export function outletFor(
	request: FastifyRequest,
	named?: { outletId: string; field: string },
): string | undefined {
	const call = callOf(request);
	call.isOutletAsked = true;
	if (named === undefined) return usualOutletOf(call);
	if (call.isCustomer !== true) requireInScope(request, named.outletId, named.field);
	return named.outletId.toLowerCase();
}

/**
 * Requires that a grant (a key, a till, a PIN, a role) is within the caller's outlets. `null`, every
 * outlet, needs the scope `all`. Throws 403 `outlet_forbidden` with the field of the body.
 */
export function requireInScope(request: FastifyRequest, outletId: string | null, field = "outlet_id"): void {
	if (isWithin(scopeOf(request), outletId)) return;
	const fields = { field, in: "body" };
	if (outletId !== null) throw chassisFailures.outlet_forbidden({ fields });
	throw chassisFailures.outlet_forbidden({
		message: "Name one of your outlets: only a caller of all outlets may do this for every outlet.",
		fields,
	});
}

/**
 * The value of the limit that the route declares, in the tenant's plan; -1 means unlimited. Throws an Error
 * on a route without a declared limit: a bug.
 */
export function limitOf(request: FastifyRequest): number {
	const { limit } = callOf(request);
	if (limit === undefined) throw new Error(`${request.routeOptions.url} asks for a limit but declares none`);
	return limit;
}

/**
 * The bearer token of a request, undefined when the header is absent or of another scheme (RFC 6750 §2.1).
 */
export function bearerOf(request: FastifyRequest): string | undefined {
	return /^Bearer ([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1];
}
