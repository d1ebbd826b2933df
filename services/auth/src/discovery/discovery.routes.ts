import { open, type Route, route } from "@lango/chassis";
import { scopesSupported } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";

/** What a client learns of the issuer (OpenID Connect Discovery §3, RFC 8414 §2): only what is there. */
function metadata(issuer: string): object {
	return {
		issuer,
		authorization_endpoint: `${issuer}/api/v1/authorize`,
		token_endpoint: `${issuer}/api/v1/token`,
		jwks_uri: `${issuer}/.well-known/jwks.json`,
		response_types_supported: ["code"],
		response_modes_supported: ["query"],
		grant_types_supported: ["authorization_code", "refresh_token"],
		subject_types_supported: ["public"],
		id_token_signing_alg_values_supported: ["RS256"],
		token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
		code_challenge_methods_supported: ["S256"],
		scopes_supported: scopesSupported,
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
			"amr",
			"email",
			"email_verified",
			"name",
		],
		claims_parameter_supported: false,
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
