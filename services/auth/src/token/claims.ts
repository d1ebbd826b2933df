import { hash, randomUUID } from "node:crypto";
import { apiScope, permissionsOf, type Subscription } from "@lango/contracts";
import { type Client, scopesIn } from "../clients/client.ts";
import {
	isHqUser,
	type MembershipState,
	type Outlet,
	rolesOf,
	scopeClaimsOf,
	userStatus,
} from "../memberships/membership-state.ts";
import {
	type ClaimName,
	claimNames,
	type RequestedClaims,
	scopeOfClaim,
} from "../sessions/grant/requested-claims.ts";
import { acrPassword } from "./acr.ts";

const accessTokenSeconds = 6 * 3_600;
const idTokenSeconds = 3_600;

/** The data for a token. */
export type Subject = {
	membershipState: MembershipState;
	outlet: Outlet | undefined;
	/** Null: the tenant has no subscription; undefined: the subscription service is unavailable. */
	subscription: Subscription | null | undefined;
	session: TokenSession;
};

/** The members of the client that tokens depend on. */
type TokenClient = Pick<Client, "clientId" | "idTokenAlgorithm" | "isFirstParty" | "scopes">;

/** The session of the tokens. */
export type TokenSession = {
	id: string;
	client: TokenClient;
	outletId: string | null;
	scope: string;
	/** The one audience of its access tokens, null for the whole platform. */
	resource: string | null;
	claims: RequestedClaims | null;
	authTime: Date;
	amr: readonly string[];
};
type Issuing = { issuer: string; audience: string; now: Date };

const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);

/** Whether the scope of a session allows the platform's routes and the claims for authorization. */
export const opensApi = ({ scope }: Pick<TokenSession, "scope">) => scopesIn(scope).includes(apiScope);

/**
 * The claims of an access token (spec §2.3, RFC 9068 §2.2). First-party clients get all of them; others get
 * those that their scopes allow: `email`, `name` (profile), the tenant (tenant), roles and permissions
 * (roles), and with `lango.api` everything but e-mail and name. A token is valid for six hours, and not
 * beyond `notAfter`.
 */
export function accessClaims(
	{ membershipState, outlet, subscription, session }: Subject,
	{ issuer, audience, now, notAfter }: Issuing & { notAfter?: Date | undefined },
) {
	const { user } = membershipState;
	const { isFirstParty, clientId } = session.client;
	const scopes = new Set(scopesIn(session.scope));
	const isApi = isFirstParty || scopes.has(apiScope);
	return {
		iss: issuer,
		sub: user.id,
		aud: session.resource ?? audience,
		exp: Math.min(seconds(now) + accessTokenSeconds, notAfter === undefined ? Infinity : seconds(notAfter)),
		iat: seconds(now),
		jti: randomUUID(),
		client_id: clientId,
		idtyp: "user",
		scope: session.scope,
		sid: session.id,
		...openedClaims(membershipState, (scope) => isFirstParty || scopes.has(scope)),
		...(isApi && workClaims(membershipState, outlet)),
		...(isApi && subscriptionClaims(subscription)),
	};
}

/** The claims of single scopes; `lango.api` includes those of tenant and roles. */
function openedClaims(membershipState: MembershipState, opens: (scope: string) => boolean) {
	const { user, tenant } = membershipState;
	const isApi = opens(apiScope);
	const roles = rolesOf(membershipState);
	const user_status = userStatus(membershipState);
	return {
		...((isApi || opens("tenant")) && { tenant_id: tenant.id, tenant_slug: tenant.slug }),
		...(opens("email") && { email: user.email }),
		...(opens("profile") && { name: user.name }),
		...((isApi || opens("roles")) && { user_status, roles, permissions: permissionsOf(roles) }),
	};
}

/** The claims about outlets. */
const workClaims = (membershipState: MembershipState, outlet: Outlet | undefined) => ({
	outlet_id: outlet?.id ?? "",
	outlet_code: outlet?.code ?? "",
	...(outlet !== undefined && { outlet_use_case: outlet.useCase }),
	is_hq_user: isHqUser(membershipState),
	...scopeClaimsOf(membershipState, outlet),
});

export type AccessClaims = ReturnType<typeof accessClaims>;

type SubscriptionClaims = {
	products?: string[];
	sub_plan?: string;
	sub_status?: string;
	sub_features?: string[];
	sub_limits?: Record<string, number>;
	sub_expires?: number;
};

/**
 * The `sub_*` claims and `products`. Without a subscription `products` is empty. If the subscription
 * service is unavailable, all of them are omitted.
 */
function subscriptionClaims(subscription: Subscription | null | undefined): SubscriptionClaims {
	if (subscription === undefined) return {};
	if (subscription === null) return { products: [] };
	const { plan, status, features, limits, expiry, products } = subscription;
	return {
		products,
		sub_plan: plan,
		sub_status: status,
		sub_features: features,
		sub_limits: limits,
		sub_expires: expiry,
	};
}

/**
 * The claims of an ID token (OpenID Connect Core §2, §3.1.3.6). The claims about the person are those of
 * `userClaims`.
 */
export function idClaims(
	{ membershipState, session }: Subject,
	{
		issuer,
		now,
		nonce,
		accessToken,
	}: { issuer: string; now: Date; nonce: string | undefined; accessToken: string },
): object {
	return {
		iss: issuer,
		sub: membershipState.user.id,
		aud: session.client.clientId,
		exp: seconds(now) + idTokenSeconds,
		iat: seconds(now),
		auth_time: seconds(session.authTime),
		...(nonce !== undefined && { nonce }),
		at_hash: hash("sha256", accessToken, "buffer").subarray(0, 16).toString("base64url"),
		sid: session.id,
		acr: acrPassword,
		amr: session.amr,
		...userClaims(membershipState, {
			scope: session.scope,
			requested: session.claims?.id_token,
			client: session.client,
		}),
	};
}

/** The claims about a person in ID tokens and at userinfo. */
type UserClaims = {
	email: string;
	email_verified: boolean;
	name: string;
	tenant_id: string;
	tenant_slug: string;
	roles: string[];
};

type Opening = {
	scope: string;
	/** The claims that were requested by name. */
	requested: readonly ClaimName[] | undefined;
	client: Pick<Client, "scopes">;
};

/**
 * The claims about a person in an ID token or at userinfo: those that the scopes allow (OpenID Connect Core
 * §5.4) and those that were requested by name (§5.5). A requested claim is omitted unless the client has
 * the scope that allows it.
 */
export function userClaims(
	membershipState: MembershipState,
	{ scope, requested = [], client }: Opening,
): Partial<UserClaims> {
	const { user, tenant } = membershipState;
	const scopes = scopesIn(scope);
	const isOpen = (claim: ClaimName) =>
		scopes.includes(scopeOfClaim[claim]) ||
		(requested.includes(claim) && client.scopes.includes(scopeOfClaim[claim]));
	const all: UserClaims = {
		email: user.email,
		email_verified: user.emailVerified,
		name: user.name,
		tenant_id: tenant.id,
		tenant_slug: tenant.slug,
		roles: [...rolesOf(membershipState)],
	};
	return Object.fromEntries(claimNames.filter(isOpen).map((claim) => [claim, all[claim]]));
}
