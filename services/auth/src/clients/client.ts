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
};

/** The scopes there are (OpenID Connect Core §5.4, §11). */
export const scopesSupported = ["openid", "profile", "email", "offline_access"] as const;
