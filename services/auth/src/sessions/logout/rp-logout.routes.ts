import { failureStatus, open, type Route, route } from "@lango/chassis";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Dependencies } from "../../dependencies.ts";
import { requireOrigin } from "../browser/require-origin.ts";
import { decideSignOut } from "./rp-logout.ts";
import { signedOutPage, signedOutPagePolicy } from "./signed-out-page.ts";

const Text = Type.Optional(Type.String({ maxLength: 16_384 }));
const SignOutRequest = Type.Object({
	id_token_hint: Text,
	post_logout_redirect_uri: Text,
	client_id: Text,
	state: Text,
	confirm: Text,
});

/** The end-session endpoint (OpenID Connect RP-Initiated Logout §2), by GET and by POST. */
export const rpLogoutRoutes = (dependencies: Dependencies): readonly Route[] => {
	const answer = async (
		request: FastifyRequest,
		reply: FastifyReply,
		parameters: Record<string, string | undefined>,
	) => {
		const { cookie, settings, allowedOrigins } = dependencies;
		const isConfirmed = request.method === "POST" && parameters.confirm === "yes";
		if (isConfirmed) requireOrigin(request, allowedOrigins);
		const outcome = await decideSignOut(dependencies, {
			idTokenHint: parameters.id_token_hint,
			redirectUri: parameters.post_logout_redirect_uri,
			clientId: parameters.client_id,
			state: parameters.state,
			cookie: cookie.read(request),
			isConfirmed,
			correlationId: request.id,
		});
		reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
		if (outcome.kind === "redirect" || outcome.kind === "done") cookie.clear(reply);
		if (outcome.kind === "redirect") return reply.redirect(outcome.to, 303);
		return reply
			.code(outcome.kind === "refuse" ? failureStatus.invalid_input : 200)
			.type("text/html; charset=utf-8")
			.header("content-security-policy", signedOutPagePolicy(settings.authUrl))
			.send(signedOutPage(outcome.kind, { signInUrl: `${settings.accountsUrl}/login` }));
	};
	const summary = "Signs the user out on behalf of a client";
	const access = open("RP-Initiated Logout §2: a browser is sent here to sign out");
	return [
		route({
			method: "GET",
			url: "/api/v1/oidc/logout",
			access,
			schema: { summary, querystring: SignOutRequest },
			// A forged link cannot contain the user's id_token_hint, and without it the user must confirm.
			handler: (request, reply) => answer(request, reply, request.query),
		}),
		route({
			method: "POST",
			url: "/api/v1/oidc/logout",
			access,
			schema: { summary, consumes: ["application/x-www-form-urlencoded"], body: SignOutRequest },
			handler: (request, reply) => answer(request, reply, request.body),
		}),
	];
};
