import { hash, randomUUID } from "node:crypto";
import { apiScope, permissionsOf, type Subscription } from "@lango/contracts";
import { type Client, scopesIn } from "../clients/client.ts";
import {
	isHqUser,
	type Outlet,
	rolesOf,
	type Standing,
	scopeClaimsOf,
	userStatus,
} from "../memberships/standing.ts";
import {
	type ClaimName,
	claimNames,
	type RequestedClaims,
	scopeOfClaim,
} from "../sessions/grant/requested-claims.ts";
import { acrPassword } from "./acr.ts";

const accessTokenSeconds = 6 * 3_600;
const idTokenSeconds = 3_600;

/** What a token is made from. */
export type Subject = {
	standing: Standing;
	outlet: Outlet | undefined;
	/** Null: the tenant has no record; undefined: the subscription service could not be asked. */
	subscription: Subscription | null | undefined;
	session: TokenSession;
};

/** What tokens depend on of their client. */
type TokenClient = Pick<Client, "clientId" | "idTokenAlgorithm" | "isFirstParty" | "scopes">;

/** The session tokens are made for. */
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

/** Whether the scope of a session opens the platform's routes, and the claims that services decide by. */
export const opensApi = ({ scope }: Pick<TokenSession, "scope">) => scopesIn(scope).includes(apiScope);

/**
 * The claims of an access token (spec §2.3, RFC 9068 §2.2). First-party clients get all of them; others get what their scopes
 * open: `email`, `name` (profile), the tenant (tenant), roles and permissions (roles), and with `lango.api` everything but e-mail and name. A
 * token lives six hours, and not beyond `notAfter`.
 */
export function accessClaims(
	{ standing, outlet, subscription, session }: Subject,
	{ issuer, audience, now, notAfter }: Issuing & { notAfter?: Date | undefined },
) {
	const { user } = standing;
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
		...openedClaims(standing, (scope) => isFirstParty || scopes.has(scope)),
		...(isApi && workClaims(standing, outlet)),
		...(isApi && subscriptionClaims(subscription)),
	};
}

/** What single scopes open; `lango.api` opens tenant and roles too. */
function openedClaims(standing: Standing, opens: (scope: string) => boolean) {
	const { user, tenant } = standing;
	const isApi = opens(apiScope);
	const roles = rolesOf(standing);
	const user_status = userStatus(standing);
	return {
		...((isApi || opens("tenant")) && { tenant_id: tenant.id, tenant_slug: tenant.slug }),
		...(opens("email") && { email: user.email }),
		...(opens("profile") && { name: user.name }),
		...((isApi || opens("roles")) && { user_status, roles, permissions: permissionsOf(roles) }),
	};
}

/** Where the person works. */
const workClaims = (standing: Standing, outlet: Outlet | undefined) => ({
	outlet_id: outlet?.id ?? "",
	outlet_code: outlet?.code ?? "",
	...(outlet !== undefined && { outlet_use_case: outlet.useCase }),
	is_hq_user: isHqUser(standing),
	...scopeClaimsOf(standing, outlet),
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
 * The `sub_*` claims and `products`. Without a record `products` is empty. None of them are there when the subscription service could
 * not be asked: then nothing is stated.
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

/** The claims of an ID token (OpenID Connect Core §2, §3.1.3.6). What it says of the person is what `userClaims` returns. */
export function idClaims(
	{ standing, session }: Subject,
	{
		issuer,
		now,
		nonce,
		accessToken,
	}: { issuer: string; now: Date; nonce: string | undefined; accessToken: string },
): object {
	return {
		iss: issuer,
		sub: standing.user.id,
		aud: session.client.clientId,
		exp: seconds(now) + idTokenSeconds,
		iat: seconds(now),
		auth_time: seconds(session.authTime),
		...(nonce !== undefined && { nonce }),
		at_hash: hash("sha256", accessToken, "buffer").subarray(0, 16).toString("base64url"),
		sid: session.id,
		acr: acrPassword,
		amr: session.amr,
		...userClaims(standing, {
			scope: session.scope,
			requested: session.claims?.id_token,
			client: session.client,
		}),
	};
}

/** What ID tokens and userinfo can say of a person. */
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
 * The claims about a person in an ID token or at userinfo: those that the scopes open (OpenID Connect Core §5.4) and those that were
 * requested by name (§5.5). A requested claim is left out unless the client was given the scope that opens it.
 */
export function userClaims(
	standing: Standing,
	{ scope, requested = [], client }: Opening,
): Partial<UserClaims> {
	const { user, tenant } = standing;
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
		roles: [...rolesOf(standing)],
	};
	return Object.fromEntries(claimNames.filter(isOpen).map((claim) => [claim, all[claim]]));
}
