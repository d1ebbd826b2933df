import { open, type Route, route } from "@lango/chassis";
import { algorithms } from "@lango/tokens";
import { scopesSupported } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { acrPassword } from "../token/acr.ts";

/** What a client learns of the issuer (OpenID Connect Discovery §3, RFC 8414 §2): only what is there. */
function metadata(issuer: string): object {
	return {
		issuer,
		authorization_endpoint: `${issuer}/api/v1/authorize`,
		token_endpoint: `${issuer}/api/v1/token`,
		userinfo_endpoint: `${issuer}/api/v1/userinfo`,
		introspection_endpoint: `${issuer}/api/v1/introspect`,
		revocation_endpoint: `${issuer}/api/v1/revoke`,
		end_session_endpoint: `${issuer}/api/v1/oidc/logout`,
		jwks_uri: `${issuer}/.well-known/jwks.json`,
		response_types_supported: ["code"],
		response_modes_supported: ["query", "form_post"],
		grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
		subject_types_supported: ["public"],
		id_token_signing_alg_values_supported: algorithms,
		token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
		introspection_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
		revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
		code_challenge_methods_supported: ["S256"],
		prompt_values_supported: ["none", "login", "select_account", "consent"],
		display_values_supported: ["page"],
		ui_locales_supported: ["en"],
		acr_values_supported: [acrPassword],
		scopes_supported: scopesSupported,
		claim_types_supported: ["normal"],
		claims_supported: [
			"sub",
			"iss",
			"aud",
			"exp",
			"iat",
			"auth_time",
			"nonce",
			"at_hash",
			"sid",
			"acr",
			"amr",
			"email",
			"email_verified",
			"name",
		],
		claims_parameter_supported: true,
		request_parameter_supported: false,
		request_uri_parameter_supported: false,
		authorization_response_iss_parameter_supported: true,
	};
}

export const discoveryRoutes = ({ settings, keyRing }: Dependencies): readonly Route[] => [
	...["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"].map((url) =>
		route({
			method: "GET",
			url,
			access: open("OpenID Connect Discovery §4: clients learn the addresses here"),
			schema: { summary: "The issuer's addresses and abilities" },
			handler: (_request, reply) =>
				reply.header("cache-control", "public, max-age=300").send(metadata(settings.authUrl)),
		}),
	),
	route({
		method: "GET",
		url: "/.well-known/jwks.json",
		access: open("RFC 7517: services check tokens with these keys"),
		schema: { summary: "The public keys tokens are signed with" },
		handler: (_request, reply) =>
			reply.header("cache-control", "public, max-age=300").send({ keys: keyRing.published() }),
	}),
];
