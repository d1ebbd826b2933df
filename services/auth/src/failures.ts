import { defineFailures } from "@lango/chassis";

/** Everything this service refuses, and why. Codes are public: never rename one. */
export const failures = defineFailures({
	invalid_credentials: ["unauthenticated", "The e-mail address or the password is not right."],
	too_many_attempts: ["rate_limited", "Too many failed attempts. Wait a while before the next one."],
	too_many_sign_ins: [
		"rate_limited",
		"Too many sign-ins are in progress for this account, network or tenant. Try again in a moment.",
	],
	sign_in_busy: ["unavailable", "Many people are signing in right now. Try again in a moment."],
	tenant_inactive: ["forbidden", "This tenant is not active."],
	origin_forbidden: ["forbidden", "Signing in from this site is not allowed."],
	not_a_navigation: ["forbidden", "This address signs out only when a browser window opens it."],
	client_unknown: ["invalid_input", "There is no such client."],
	client_confidential: [
		"invalid_input",
		"A confidential client signs nobody in by password; people come to it by an authorization code.",
	],
	invalid_grant: ["unauthenticated", "The refresh token is not valid."],
	session_ended: [
		"unauthenticated",
		"The session of this access token has ended. Sign in for a new access token.",
	],
	outlet_forbidden: ["forbidden", "You do not have access to this outlet."],
	exchange_token_invalid: [
		"unauthenticated",
		"The exchange token is used, expired or unknown. Sign in again.",
	],
	tenant_not_found: ["not_found", "Tenant not found."],
	logo_unreadable: [
		"invalid_input",
		"The body is not a PNG, JPEG or WebP image of the content type named, or it is damaged.",
	],
	logo_animated: ["invalid_input", "The image is animated. Send one without animation."],
	logo_dimensions: ["invalid_input", "The image is wider or higher than 4096 pixels."],
	logo_busy: ["unavailable", "Several logos are being processed. Try again in a moment."],
	logo_not_found: ["not_found", "The tenant has no such logo."],
	email_taken: ["conflict", "Somebody is registered with this e-mail address. Sign in instead."],
	slug_taken: ["conflict", "This slug is, or was, another tenant's."],
	name_reserved: ["invalid_input", "This name can be mistaken for the platform's own. Choose another."],
	slug_reserved: ["invalid_input", "This slug is a word of the platform's own. Choose another."],
	password_weak: ["invalid_input", "This password is too weak."],
	password_wrong: ["forbidden", "The current password is not right."],
	invitation_invalid: [
		"invalid_input",
		"The invitation is not valid: used, expired, withdrawn, or made for another tenant or address.",
	],
	join_refused: ["forbidden", "This tenant is joined by invitation only."],
	already_member: ["conflict", "This person belongs to the tenant already, or waits to be let in."],
	link_invalid: ["invalid_input", "The link is not valid: used, expired, or made for something else."],
	link_not_found: ["not_found", "There is no such link, or it is used or expired."],
	member_not_found: ["not_found", "Nobody with this id is in the tenant."],
	request_not_found: ["not_found", "Nobody with this id waits to be let in."],
	invitation_not_found: ["not_found", "There is no such open invitation."],
	invitations_full: ["conflict", "The tenant has as many open invitations as it may have."],
	outlet_not_found: ["not_found", "The tenant has no such outlet."],
	outlet_code_taken: ["conflict", "The tenant has an outlet with this code already."],
	outlets_full: ["conflict", "The tenant has as many outlets as it may have."],
	role_forbidden: [
		"forbidden",
		"Only a superuser gives or takes the role superuser, and only in the platform's own tenant.",
	],
	last_admin: ["conflict", "The last administrator stays: make somebody else one first."],
	// Reserved by the specification (§7) for administrators beyond max_admins; not enforced yet, so nothing throws it.
	subscription_limit_exceeded: ["forbidden", "The current plan has no room for one more administrator."],
	platform_tenant: ["conflict", "The platform's own tenant can be neither suspended, renamed nor erased."],
	user_not_found: ["not_found", "There is no such person."],
	session_not_found: ["not_found", "You have no such session."],
	client_not_found: ["not_found", "There is no such client."],
	client_taken: ["conflict", "There is a client with this client_id already."],
	key_not_found: ["not_found", "There is no such key, or it was removed already."],
	client_built_in: ["conflict", "This client belongs to the platform and is made again at every start."],
});

/** The refusals of OAuth 2.0 endpoints, by the words of RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1 and OpenID Connect Core §3.1.2.6. */
export const oauthFailures = defineFailures({
	invalid_request: [
		"invalid_input",
		"The request lacks a parameter, repeats one, or has one that is not valid.",
	],
	invalid_client: [
		"unauthenticated",
		"The client is unknown or did not authenticate with its client_id and client_secret.",
	],
	invalid_grant: [
		"invalid_input",
		"The code or token is not valid: unknown, used, expired, revoked, or made for another.",
	],
	unauthorized_client: ["invalid_input", "The client may not use this grant."],
	unsupported_token_type: [
		"invalid_input",
		"A token of a program's own is not revoked; it runs out by itself.",
	],
	unsupported_grant_type: ["invalid_input", "This grant type is not supported."],
	unsupported_response_type: ["invalid_input", "Only the response type code is supported."],
	invalid_scope: ["invalid_input", "A scope is unknown or not allowed for the client."],
	access_denied: ["forbidden", "You do not belong to that tenant."],
	login_required: [
		"unauthenticated",
		"The browser has no session cookie of a person who is signed in. Sign in first.",
	],
	unmet_authentication_requirements: [
		"invalid_input",
		"The sign-in cannot be of the kind that was asked for (acr).",
	],
	invalid_target: ["invalid_input", "The resource is not one this issuer makes tokens for."],
	request_not_supported: ["invalid_input", "Request objects are not supported."],
	request_uri_not_supported: ["invalid_input", "Request objects by reference are not supported."],
});
