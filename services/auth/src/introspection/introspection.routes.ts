import { open, type Route, route } from "@lango/chassis";
import { TokenRefused } from "@lango/tokens";
import Type from "typebox";
import { authenticateClient } from "../clients/authenticate-client.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { findSession, type SessionRef, sessionOf } from "../sessions/grant/session.store.ts";
import { endSession } from "../sessions/logout/end-session.ts";
import { formType, requireForm } from "../token/require-form.ts";
import { introspect } from "./introspect.ts";

const Text = Type.Optional(Type.String({ maxLength: 200 }));

/** A token and the client's credentials; `token_type_hint` and other parameters are ignored. */
const TokenInQuestion = Type.Object({
	token: Type.String({ minLength: 1, maxLength: 16_384 }),
	client_id: Text,
	client_secret: Text,
});

/** Introspection (RFC 7662) and revocation (RFC 7009). */
export const introspectionRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/introspect",
		access: open("RFC 7662 §2.1: confidential clients prove themselves in the request"),
		failures: "oauth",
		onRequest: requireForm,
		schema: {
			consumes: [formType],
			summary: "Introspects a token: whether it is active, and its claims",
			body: TokenInQuestion,
			response: { 200: Type.Object({ active: Type.Boolean() }, { additionalProperties: true }) },
		},
		handler: async ({ body, headers }, reply) => {
			const client = await authenticateClient(dependencies.clients, {
				authorization: headers.authorization,
				clientId: body.client_id,
				clientSecret: body.client_secret,
			});
			if (client.isPublic)
				throw oauthFailures.invalid_client({ message: "Only a confidential client can introspect tokens." });
			reply.header("cache-control", "no-store");
			return introspect(dependencies, { client, token: body.token });
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/revoke",
		access: open("RFC 7009 §2.1: clients prove themselves in the request"),
		failures: "oauth",
		onRequest: requireForm,
		schema: {
			summary: "Revokes a token by ending its session",
			consumes: [formType],
			body: TokenInQuestion,
		},
		handler: async ({ body, headers, id }, reply) => {
			const { db, now } = dependencies;
			const client = await authenticateClient(dependencies.clients, {
				authorization: headers.authorization,
				clientId: body.client_id,
				clientSecret: body.client_secret,
			});
			const named = await sessionOfToken(dependencies, body.token);
			const session = named && (await findSession(db, { ...named, now: now() }));
			if (named !== undefined && session !== undefined) {
				if (session.clientId !== client.clientId)
					throw oauthFailures.unauthorized_client({ message: "The token was issued to another client." });
				await endSession(db, { ...named, now: now(), because: "token_revoked", correlationId: id });
			}
			return reply.code(200).header("cache-control", "no-store").send();
		},
	}),
];

/**
 * The session of a refresh or access token; undefined if this issuer did not issue the token. Throws
 * `unsupported_token_type` for a client credentials token, which has no session and is valid until it
 * expires (RFC 7009 §2.2.1).
 */
async function sessionOfToken(
	{ refreshTokens, ownTokens }: Pick<Dependencies, "ownTokens" | "refreshTokens">,
	token: string,
): Promise<SessionRef | undefined> {
	const refresh = refreshTokens.read(token);
	if (refresh !== undefined) return refresh;
	try {
		const session = sessionOf(await ownTokens.verify(token));
		if (session === undefined) throw oauthFailures.unsupported_token_type();
		return session;
	} catch (error) {
		if (error instanceof TokenRefused) return undefined;
		throw error;
	}
}
