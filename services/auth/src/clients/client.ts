import { apiScope } from "@lango/contracts";
import type { Algorithm } from "@lango/tokens";

/** An OAuth client (spec §2.7). */
export type Client = {
	/** The row's id, and the `sub` of tokens the client gets for itself. */
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
	/** What its ID tokens are signed with; RS256 unless it asked for the other. */
	idTokenAlgorithm: Algorithm;
	/** Whether a refresh answers a new ID token when the request does not ask for one. */
	isIdTokenAtRefresh: boolean;
	/** The platform's own or vouched for by its owner: its access tokens always carry `lango.api` and every claim. */
	isFirstParty: boolean;
};

/** What the sign-in of a person may open to a client (OpenID Connect Core §5.4, §11). */
export const identityScopes = ["openid", "profile", "email", "offline_access"] as const;

/**
 * All scopes that concern a person. `tenant` and `roles` open the claims of these names; `lango.api` opens every claim that the
 * services decide by, and their routes.
 */
export const scopesSupported = [...identityScopes, "tenant", "roles", apiScope] as const;

/** The scopes in a text (RFC 6749 §3.3). */
export const scopesIn = (text: string): string[] => text.split(" ").filter((one) => one !== "");

/**
 * The scope of an access token: what was granted, as far as the client may still have it. A first-party client has `lango.api`
 * always, so what it was granted does not say so; a change of the client counts from its next token.
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

/** Whether refresh tokens of the client are valid: a client that was given `offline_access` may have lost it since. */
export const mayRefresh = ({ scopes }: Pick<Client, "scopes">): boolean => scopes.includes("offline_access");
