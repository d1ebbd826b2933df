import type { Person } from "@lango/access";
import type { AccessTokenClaims } from "@lango/contracts";
import type { FastifyRequest } from "fastify";
import { chassisFailures } from "./failure.ts";

/** Who is asking, as the credential says. */
export type Caller =
	| {
			kind: "user";
			userId: string;
			claims: AccessTokenClaims;
			isSuperuser: boolean;
			/** Superuser of the platform-owner tenant: no tenant isolation, no subscription (spec §5.9). */
			isPlatformOwner: boolean;
			/** The token is the service's own: it changes nothing of the person, grants no more than it names, and stays at its outlet. */
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
	  };

/** What the pipeline has learned about a request; each step fills in its own member. */
export type Call = {
	caller?: Caller;
	/** The tenant the request is about. */
	tenant?: { id: string; slug: string };
	/** Local id and service role of the person, in services that keep local users; at the outlet on routes that keep to it. */
	user?: { id: string; serviceRole: string | null; permissions: readonly string[] };
	/** All the person's grants, also those at single outlets; undefined for programs and for who waits for approval. */
	person?: Person;
	/** The outlet to filter by; undefined means all tenant data. */
	outletId?: string;
	/** The handler asked for the outlet to filter by, or for the caller's rights where its effect is. */
	isOutletAsked?: true;
	/** Whose things alone the caller may see or change here; undefined means everybody's. */
	owner?: Owner;
	/** The handler asked for the owner to filter by. */
	isOwnerAsked?: true;
	/** How much the plan has of the route's limit; -1 means unlimited. */
	limit?: number;
	/** The platform owner under the platform's own address, naming no tenant: lists are of all tenants (spec §4.3). */
	isAcrossTenants?: true;
	/** What the caller passed by a special right where others are refused; each request with any leaves an audit row. */
	passed?: SpecialPass[];
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
 * The tenant of a tenant-scoped route. Throws `tenant_required` when the platform owner named none, and an Error on a
 * route that has none: that is a bug of the route.
 */
export function tenantOf(request: FastifyRequest): { id: string; slug: string } {
	const { tenant, isAcrossTenants } = callOf(request);
	if (isAcrossTenants === true) throw chassisFailures.tenant_required();
	if (tenant === undefined) throw new Error(`${request.routeOptions.url} has no tenant`);
	return tenant;
}

/**
 * The filter of a route that people with an `_own` permission may call: their things alone when it names somebody, everybody's when
 * undefined. The handler of such a route must ask.
 */
export function ownerOf(request: FastifyRequest): Owner | undefined {
	const call = callOf(request);
	call.isOwnerAsked = true;
	return call.owner;
}

/** The outlet to filter by, undefined: all of the tenant. The handler of a route that keeps to the outlet must ask, or `requireRight`. */
export function outletOf(request: FastifyRequest): string | undefined {
	const call = callOf(request);
	call.isOutletAsked = true;
	return call.outletId;
}

/** How much the tenant's plan has of the limit the route declares; -1 means unlimited. Throws an Error on a route without one: a bug. */
export function limitOf(request: FastifyRequest): number {
	const { limit } = callOf(request);
	if (limit === undefined) throw new Error(`${request.routeOptions.url} asks for a limit but declares none`);
	return limit;
}

/** The bearer token of a request, undefined when the header is absent or of another scheme (RFC 6750 §2.1). */
export function bearerOf(request: FastifyRequest): string | undefined {
	return /^Bearer ([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1];
}
