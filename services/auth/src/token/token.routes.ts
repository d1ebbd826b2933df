import { open, type Route, route } from "@lango/chassis";
import { Uuid } from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import { authenticateClient } from "../clients/authenticate-client.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { grantClientToken } from "./client-credentials.ts";
import { refresh, tradeCode } from "./exchange.ts";
import { formType, requireForm } from "./require-form.ts";

const Text = Type.Optional(Type.String({ maxLength: 2_048 }));

/** The parameters of a token request; others are ignored (RFC 6749 §3.2). */
const TokenRequest = Type.Object({
	grant_type: Text,
	code: Text,
	code_verifier: Text,
	redirect_uri: Text,
	refresh_token: Text,
	scope: Text,
	resource: Text,
	client_id: Text,
	client_secret: Text,
});

/** What the token endpoint and its relatives answer (RFC 6749 §5.1, spec §4.1). */
export const TokenResponse = Type.Object({
	access_token: Type.String(),
	token_type: Type.Literal("Bearer"),
	expires_in: Type.Integer(),
	scope: Type.String(),
	id_token: Type.Optional(Type.String()),
	refresh_token: Type.Optional(Type.String()),
	requiresOutletSelection: Type.Optional(Type.Literal(true)),
	ssoExchangeToken: Type.Optional(Type.String()),
	outletIds: Type.Optional(
		Type.Array(Uuid, {
			description: "The outlets that ssoExchangeToken can select: those assigned to the user",
		}),
	),
});

export const tokenRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/token",
		access: open("RFC 6749 §3.2: clients prove themselves with the code or token they bring"),
		failures: "oauth",
		onRequest: requireForm,
		schema: {
			summary: "Exchanges an authorization code, a refresh token or client credentials for tokens",
			consumes: [formType],
			body: TokenRequest,
			response: { 200: TokenResponse },
		},
		handler: async (request, reply) => {
			const { headers } = request;
			const body = withValues(request.body);
			const origin = originOf(request, dependencies.now());
			const client = await authenticateClient(dependencies.clients, {
				authorization: headers.authorization,
				clientId: body.client_id,
				clientSecret: body.client_secret,
			});
			reply.header("cache-control", "no-store").header("pragma", "no-cache");
			const grant = body.grant_type ?? (body.code === undefined ? undefined : "authorization_code");
			if (grant === "authorization_code") {
				const code = required("code", body.code);
				const { resource, redirect_uri: redirectUri, code_verifier: codeVerifier } = body;
				return tradeCode(dependencies, { client, code, redirectUri, codeVerifier, resource }, origin);
			}
			if (grant === "refresh_token") {
				const refreshToken = required("refresh_token", body.refresh_token);
				const { scope, resource } = body;
				return refresh(dependencies, { client, refreshToken, scope, resource }, origin);
			}
			if (grant === "client_credentials")
				return grantClientToken(dependencies, { client, scope: body.scope, resource: body.resource });
			if (grant === undefined) throw oauthFailures.invalid_request({ message: "grant_type is missing." });
			throw oauthFailures.unsupported_grant_type();
		},
	}),
];

/** A parameter without a value counts as left out (RFC 6749 §3.2). */
const withValues = <T extends object>(body: T): Partial<T> =>
	Object.fromEntries(Object.entries(body).filter(([, value]) => value !== "")) as Partial<T>;

function required(name: string, value: string | undefined): string {
	if (value === undefined || value === "")
		throw oauthFailures.invalid_request({ message: `${name} is missing.` });
	return value;
}
