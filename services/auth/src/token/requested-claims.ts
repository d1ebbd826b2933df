/** The claims that may be asked for one by one (OpenID Connect Core §5.5). */
export const claimNames = ["email", "email_verified", "name"] as const;
export type ClaimName = (typeof claimNames)[number];

/** Claims asked for besides those the scopes open, by where they are wanted. */
export type RequestedClaims = { id_token: readonly ClaimName[]; userinfo: readonly ClaimName[] };
