/** What a sign-in by password counts as (OpenID Connect Core §2, `acr`); there is no other kind yet. */
export const acrPassword = "urn:lango:acr:password";
