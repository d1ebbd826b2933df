import { entityTagOf, namesEntityTag, open, type Route, route } from "@lango/chassis";
import { languages } from "@lango/contracts";
import { algorithms } from "@lango/tokens";
import Type from "typebox";
import { promptsSupported } from "../authorize/request.ts";
import { scopesSupported } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { claimNames } from "../sessions/grant/requested-claims.ts";
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
		prompt_values_supported: promptsSupported,
		display_values_supported: ["page"],
		ui_locales_supported: languages,
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
			...claimNames,
		],
		claims_parameter_supported: true,
		request_parameter_supported: false,
		request_uri_parameter_supported: false,
		authorization_response_iss_parameter_supported: true,
	};
}

const Headers = Type.Object({ "if-none-match": Type.Optional(Type.String({ maxLength: 1_000 })) });

/** A public document that any page may read; `read` is called at each request. */
const document = ({ url, because, summary, read }: PublicDocument): Route =>
	route({
		method: "GET",
		url,
		access: open(because),
		anyOrigin: true,
		schema: {
			summary,
			description:
				"May be cached for five minutes; answers 304 when If-None-Match names the current ETag. A page of any origin may read it, without credentials.",
			headers: Headers,
			response: { 304: Type.Unsafe<undefined>({ type: "null", description: "Unchanged" }) },
		},
		handler: async ({ headers }, reply) => {
			const body = JSON.stringify(read());
			const tag = entityTagOf(body);
			reply.headers({ etag: tag, "cache-control": "public, max-age=300" });
			if (namesEntityTag(headers["if-none-match"], tag)) return reply.code(304).send();
			return reply.type("application/json; charset=utf-8").send(body);
		},
	});

type PublicDocument = { url: string; because: string; summary: string; read: () => object };

/** Discovery (OpenID Connect Discovery §4, RFC 8414 §3) and the key set (RFC 7517). */
export const discoveryRoutes = ({ settings, keyRing }: Dependencies): readonly Route[] => [
	...["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"].map((url) =>
		document({
			url,
			because: "OpenID Connect Discovery §4: clients read the endpoint addresses here",
			summary: "The OpenID Provider metadata",
			read: () => metadata(settings.authUrl),
		}),
	),
	document({
		url: "/.well-known/jwks.json",
		because: "RFC 7517: services verify tokens with these keys",
		summary: "The public signing keys",
		read: () => ({ keys: keyRing.published() }),
	}),
];
