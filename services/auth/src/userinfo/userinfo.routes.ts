import { bearerOf, insufficientScope, open, type Route, route } from "@lango/chassis";
import { FailureBody, Uuid } from "@lango/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { scopesIn } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { mayHaveTokens } from "../memberships/membership-state.ts";
import { findSession, sessionOf } from "../sessions/grant/session.store.ts";
import { userClaims } from "../token/claims.ts";
import { formType } from "../token/require-form.ts";
import { verifyPresented } from "./presented-token.ts";

const UserInfo = Type.Object({
	sub: Type.String(),
	email: Type.Optional(Type.String()),
	email_verified: Type.Optional(Type.Boolean()),
	name: Type.Optional(Type.String()),
	tenant_id: Type.Optional(Uuid),
	tenant_slug: Type.Optional(Type.String()),
	roles: Type.Optional(Type.Array(Type.String())),
});

/** The userinfo endpoint, by GET and by POST (OpenID Connect Core §5.3). */
export const userinfoRoutes = ({ db, now, verifier, clients }: Dependencies): readonly Route[] => {
	const handler = async (request: FastifyRequest, reply: FastifyReply) => {
		reply.header("cache-control", "no-store");
		const { headers, body, query } = request;
		const isForm = headers["content-type"]?.toLowerCase().startsWith(formType) === true;
		const presented = await verifyPresented(
			{
				authorization: headers.authorization,
				bearer: bearerOf(request),
				form: isForm ? body : undefined,
				query,
			},
			verifier,
		);
		const { scope = "" } = presented;
		const named = sessionOf(presented);
		const session = named && (await findSession(db, { ...named, now: now() }));
		if (session === undefined || !mayHaveTokens(session.membershipState)) throw failures.session_ended();
		if (!scopesIn(scope).includes("openid")) throw insufficientScope("openid");
		const { membershipState, claims } = session;
		const client = await clients.find(session.clientId);
		if (client === undefined) throw failures.session_ended();
		return {
			sub: membershipState.user.id,
			...userClaims(membershipState, { scope, requested: claims?.userinfo, client }),
		};
	};
	const summary = "Who the access token is about, as far as its scopes allow";
	const response = { 200: UserInfo, 400: FailureBody, 401: FailureBody, 403: FailureBody };
	const access = open("RFC 6750 §2.2: the handler verifies the access token, which may be in the form");
	const url = "/api/v1/userinfo";
	return [
		route({
			method: "GET",
			url,
			access,
			schema: { summary, description: "Authorization: Bearer <access token>", response },
			handler,
		}),
		route({
			method: "POST",
			url,
			access,
			schema: {
				summary,
				description: "The access token in the Authorization header, or as access_token in a form; not both",
				consumes: [formType],
				response,
			},
			handler,
		}),
	];
};
