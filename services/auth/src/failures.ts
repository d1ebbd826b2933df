import { defineFailures } from "@lango/chassis";

/** The failures of this service. Codes are public: never rename one. */
export const failures = defineFailures({
	invalid_credentials: ["unauthenticated", "The e-mail address or the password is not correct."],
	too_many_attempts: ["rate_limited", "Too many failed attempts. Wait a while before the next one."],
	too_many_sign_ins: [
		"rate_limited",
		"Too many sign-ins are in progress for this account, network or tenant. Try again in a moment.",
	],
	sign_in_busy: ["unavailable", "Many people are signing in right now. Try again in a moment."],
	tenant_inactive: ["forbidden", "This tenant is not active."],
	origin_forbidden: ["forbidden", "Signing in from this site is not allowed."],
	not_a_navigation: ["forbidden", "This address signs out only when a browser window opens it."],
	client_unknown: ["invalid_input", "Client not found."],
	client_confidential: [
		"invalid_input",
		"A confidential client cannot use password sign-in. Use the authorization code flow.",
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
		"The body is not a valid PNG, JPEG or WebP image, or does not match its content type.",
	],
	logo_animated: ["invalid_input", "The image is animated. Send one without animation."],
	logo_dimensions: ["invalid_input", "The image is wider or higher than 4096 pixels."],
	logo_busy: ["unavailable", "Several logos are being processed. Try again in a moment."],
	logo_not_found: ["not_found", "Logo not found."],
	email_taken: ["conflict", "This e-mail address is already registered. Sign in instead."],
	slug_taken: ["conflict", "This slug is or was used by another tenant."],
	name_reserved: ["invalid_input", "This name can be mistaken for the platform's own. Choose another."],
	slug_reserved: ["invalid_input", "This slug is reserved. Choose another."],
	password_weak: ["invalid_input", "This password is too weak."],
	password_wrong: ["forbidden", "The current password is not correct."],
	invitation_invalid: [
		"invalid_input",
		"The invitation is used, expired, withdrawn, or for another tenant or address.",
	],
	join_refused: ["forbidden", "This tenant can only be joined by invitation."],
	already_member: ["conflict", "This person is already a member of the tenant or has an open join request."],
	link_invalid: ["invalid_input", "The link is used or expired, or has another purpose."],
	link_not_found: ["not_found", "Link not found, already used or expired."],
	member_not_found: ["not_found", "The tenant has no member with this id."],
	request_not_found: ["not_found", "The tenant has no open join request from a user with this id."],
	invitation_not_found: ["not_found", "Open invitation not found."],
	invitations_full: ["conflict", "The limit of open invitations per tenant is reached."],
	outlet_not_found: ["not_found", "Outlet not found in this tenant."],
	outlet_code_taken: ["conflict", "The tenant already has an outlet with this code."],
	outlets_full: ["conflict", "The limit of outlets per tenant is reached."],
	role_forbidden: [
		"forbidden",
		"Only a superuser can grant or revoke the role superuser, and only in the platform owner's tenant.",
	],
	last_admin: [
		"conflict",
		"A tenant must keep at least one administrator. Make another user an administrator first.",
	],
	// Reserved by the specification (§7) for the limit max_admins, which is not enforced yet: nothing throws
	// it.
	subscription_limit_exceeded: ["forbidden", "The current plan does not allow another administrator."],
	platform_tenant: ["conflict", "The platform owner's tenant cannot be suspended, renamed or erased."],
	user_not_found: ["not_found", "User not found."],
	session_not_found: ["not_found", "Session not found."],
	client_not_found: ["not_found", "Client not found."],
	client_taken: ["conflict", "A client with this client_id already exists."],
	key_not_found: ["not_found", "Key not found, or already removed."],
	client_built_in: ["conflict", "This client is built in and is registered again at every start."],
});

/**
 * The errors of the OAuth 2.0 endpoints, with the codes of RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1 and
 * OpenID Connect Core §3.1.2.6.
 */
export const oauthFailures = defineFailures({
	invalid_request: ["invalid_input", "A request parameter is missing, repeated or invalid."],
	invalid_client: [
		"unauthenticated",
		"The client is unknown or did not authenticate with its client_id and client_secret.",
	],
	invalid_grant: [
		"invalid_input",
		"The code or token is unknown, used, expired, revoked, or was issued to another client.",
	],
	unauthorized_client: ["invalid_input", "The client is not allowed to use this grant."],
	unsupported_token_type: [
		"invalid_input",
		"A client credentials token cannot be revoked. It expires by itself.",
	],
	unsupported_grant_type: ["invalid_input", "This grant type is not supported."],
	unsupported_response_type: ["invalid_input", "Only the response type code is supported."],
	invalid_scope: ["invalid_input", "A scope is unknown or not allowed for the client."],
	access_denied: ["forbidden", "You are not a member of this tenant."],
	login_required: [
		"unauthenticated",
		"The browser has no session cookie of a person who is signed in. Sign in first.",
	],
	unmet_authentication_requirements: [
		"invalid_input",
		"The requested authentication context (acr) is not supported.",
	],
	invalid_target: ["invalid_input", "This issuer does not issue tokens for the resource."],
	request_not_supported: ["invalid_input", "Request objects are not supported."],
	request_uri_not_supported: ["invalid_input", "Request objects by reference are not supported."],
});
