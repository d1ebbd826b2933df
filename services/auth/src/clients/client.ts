import { apiScope } from "@lango/contracts";
import type { Algorithm } from "@lango/tokens";

/** An OAuth client (spec §2.7). */
export type Client = {
	/** The id of the row, and the `sub` of the client's client credentials tokens. */
	id: string;
	clientId: string;
	name: string;
	redirectUris: readonly string[];
	postLogoutRedirectUris: readonly string[];
	scopes: readonly string[];
	/** Public clients hold no secret and always use PKCE. */
	isPublic: boolean;
	secretHash: Buffer | null;
	isPkceRequired: boolean;
	/** The signature algorithm of its ID tokens; RS256 by default. */
	idTokenAlgorithm: Algorithm;
	/** Whether a refresh answers a new ID token when the request does not ask for one. */
	isIdTokenAtRefresh: boolean;
	/**
	 * A client of the platform, or one that its owner trusts: its access tokens always have `lango.api` and
	 * every claim.
	 */
	isFirstParty: boolean;
};

/** The scopes about a person that a client can have (OpenID Connect Core §5.4, §11). */
export const identityScopes = ["openid", "profile", "email", "offline_access"] as const;

/**
 * All scopes that concern a person. `tenant` and `roles` allow the claims of these names; `lango.api`
 * allows every claim that services need for authorization, and their routes.
 */
export const scopesSupported = [...identityScopes, "tenant", "roles", apiScope] as const;

/** The scopes in a text (RFC 6749 §3.3). */
export const scopesIn = (text: string): string[] => text.split(" ").filter((one) => one !== "");

/**
 * The scope of an access token: the granted scopes that the client still has. A first-party client always
 * has `lango.api` without a grant. A change of the client applies to its next token.
 */
export function scopeNow(
	{ isFirstParty, scopes }: Pick<Client, "isFirstParty" | "scopes">,
	granted: string,
): string {
	const all = scopesIn(granted);
	const kept = isFirstParty
		? [...all.filter((one) => one !== apiScope), apiScope]
		: all.filter((one) => scopes.includes(one));
	return kept.join(" ");
}

/** Whether refresh tokens of the client are valid: a client may have lost `offline_access` since. */
export const mayRefresh = ({ scopes }: Pick<Client, "scopes">): boolean => scopes.includes("offline_access");
