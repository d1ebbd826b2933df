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
			 * The token was issued by this service: it changes nothing about the person, grants only the
			 * permissions that it names, and is bound to its outlet.
			 */
			isIssuedHere?: true;
	  }
	/** A program with its own token (client_credentials): no person; its permissions are its scope. */
	| { kind: "client"; clientId: string; claims: AccessTokenClaims }
	/** A program with an API key; `tenantId` undefined: valid for all tenants. */
	| {
			kind: "key";
			keyId: string;
			tenantId: string | undefined;
			permissions: readonly string[];
			expiresAt?: Date | undefined;
			/** The outlets of the key; undefined: every outlet. */
			outletIds?: readonly string[] | undefined;
			/** The subscription of the tenant decides, although the key is valid for all tenants. */
			isGated?: true;
	  };

/** The results of the pipeline for a request; each step sets its own member. */
export type Call = {
	caller?: Caller;
	/** The tenant of the request. */
	tenant?: { id: string; slug: string; outletIsolation?: OutletIsolation };
	/**
	 * Local id and service role of the person, in services with local users; at the outlet on routes that
	 * are bound to outlets.
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
	/** Whether the handler has read the outlets to filter by, or checked the caller's rights. */
	isOutletAsked?: true;
	/** The owner whose rows the caller may see or change on this route; undefined means all rows. */
	owner?: Owner;
	/** Whether the handler has read the owner to filter by. */
	isOwnerAsked?: true;
	/** The value of the route's limit in the plan; -1 means unlimited. */
	limit?: number;
	/**
	 * The platform owner under the platform's own address, without a named tenant: lists are of all tenants
	 * (spec §4.3).
	 */
	isAcrossTenants?: true;
	/** The tenant's slot of the request. */
	slot?: TenantSlot;
	/**
	 * The checks that the caller passed by a special right. Each request with such a check writes an audit
	 * entry.
	 */
	passed?: SpecialPass[];
};

/** A slot, released at the end of the response. */
export type TenantSlot = {
	/** Releases the slot until `resume`. */
	pause(): void;
	/** Takes a slot again. Refuses with 429 `tenant_busy` if none is free. */
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

/** The property of a request that contains its call. */
export const callKey = Symbol("call");

/** The call of a request, created on first use. */
export function callOf(request: FastifyRequest): Call {
	const begun = request as { [callKey]?: Call };
	begun[callKey] ??= {};
	return begun[callKey];
}

/** The caller of a guarded route. Throws an Error on an open route, which is a bug of the route. */
export function callerOf(request: FastifyRequest): Caller {
	const { caller } = callOf(request);
	if (caller === undefined)
		throw new Error(`${request.routeOptions.url} asks who is calling but does not guard its door`);
	return caller;
}

/**
 * The tenant of a tenant-scoped route. Throws `tenant_required` if the platform owner named none, and an
 * Error on a route without a tenant, which is a bug of the route.
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
 * The outlets whose rows this request may read and change: the parameter of `withinOutlets` in its
 * statements. The handler of a route that is not tenant-wide must call this, `outletFor` or
 * `requireRight`.
 */
export function outletsOf(request: FastifyRequest): OutletFilter {
	const call = callOf(request);
	call.isOutletAsked = true;
	return filterOf(call);
}

/** The outlets of the caller, without the limit of X-Outlet-ID. */
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
 * The bearer token of a request; undefined if the header is absent or has another scheme (RFC 6750 §2.1).
 */
export function bearerOf(request: FastifyRequest): string | undefined {
	return /^Bearer ([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1];
}
