/**
 * The claims about a person in ID tokens and at userinfo, each with the scope that allows it (OpenID
 * Connect Core §5.4).
 */
export const scopeOfClaim = {
	email: "email",
	email_verified: "email",
	name: "profile",
	tenant_id: "tenant",
	tenant_slug: "tenant",
	roles: "roles",
} as const;

export type ClaimName = keyof typeof scopeOfClaim;

/** The same claims; each can also be requested by its name (OpenID Connect Core §5.5). */
export const claimNames = Object.keys(scopeOfClaim) as readonly ClaimName[];

/** Claims that were requested by name, by where they are wanted. */
export type RequestedClaims = { id_token: readonly ClaimName[]; userinfo: readonly ClaimName[] };
