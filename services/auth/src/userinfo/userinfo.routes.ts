import { callerOf, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findSession } from "../sessions/session.store.ts";
import { userClaims } from "../token/claims.ts";
import { mayGoOn } from "../token/standing.ts";

const UserInfo = Type.Object({
	sub: Type.String(),
	email: Type.Optional(Type.String()),
	email_verified: Type.Optional(Type.Boolean()),
	name: Type.Optional(Type.String()),
});

/** The userinfo endpoint, by GET and by POST (OpenID Connect Core §5.3). */
export const userinfoRoutes = ({ db, now }: Dependencies): readonly Route[] => {
	const handler = async (request: FastifyRequest, reply: FastifyReply) => {
		reply.header("cache-control", "no-store");
		const caller = callerOf(request);
		const { sid: sessionId, scope = "" } = caller.kind === "user" ? caller.claims : {};
		const session = sessionId === undefined ? undefined : await findSession(db, { sessionId, now: now() });
		if (session === undefined || !mayGoOn(session.standing)) throw failures.session_ended();
		if (!scope.split(" ").includes("openid"))
			throw failures.insufficient_scope({
				headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="openid"' },
			});
		const { user } = session.standing;
		return { sub: user.id, ...userClaims(user, { scope, asked: session.claims?.userinfo }) };
	};
	const schema = {
		summary: "Who the access token is about, as far as its scopes allow",
		response: { 200: UserInfo, 401: FailureBody, 403: FailureBody },
	};
	return (["GET", "POST"] as const).map((method) =>
		route({ method, url: "/api/v1/userinfo", access: signedIn(), schema, handler }),
	);
};
