import { Failure, failureStatus, open, type Route, route } from "@lango/chassis";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { authorize } from "./authorize.ts";
import { errorPage, errorPagePolicy } from "./error-page.ts";
import { formPostPage, formPostPolicy } from "./form-post-page.ts";
import type { Parameters } from "./parameters.ts";

const AnyParameters = Type.Record(Type.String(), Type.Unknown());

/** The authorization endpoint, by GET and by POST (OpenID Connect Core §3.1.2.1). */
export const authorizeRoutes = (dependencies: Dependencies): readonly Route[] => {
	const answer = async (request: FastifyRequest, reply: FastifyReply, parameters: Parameters) => {
		reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
		// RFC 9700 §2.6: browsers are sent here, and no page's script reads what they are answered.
		reply.removeHeader("access-control-allow-origin").removeHeader("access-control-allow-credentials");
		try {
			const next = await authorize(dependencies, { parameters, cookie: dependencies.cookie.read(request) });
			if ("to" in next) return reply.redirect(next.to, 303);
			return sendPage(reply, formPostPage(next.postTo, next.members), formPostPolicy(next.postTo));
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			reply.code(failureStatus[error.kind]);
			const page = errorPage({ code: error.code, message: error.message, requestId: request.id });
			return sendPage(reply, page, errorPagePolicy);
		}
	};
	const summary = "Asks for an authorization code; signs the person in first where needed";
	const access = open("RFC 6749 §3.1: a browser comes here to sign in");
	return [
		route({
			method: "GET",
			url: "/api/v1/authorize",
			access,
			schema: { summary, querystring: AnyParameters },
			handler: (request, reply) => answer(request, reply, request.query as Parameters),
		}),
		route({
			method: "POST",
			url: "/api/v1/authorize",
			access,
			schema: { summary, consumes: ["application/x-www-form-urlencoded"], body: AnyParameters },
			handler: (request, reply) => answer(request, reply, request.body as Parameters),
		}),
	];
};

/** Sends a small page of this service's own, under a policy that names all it may do. */
function sendPage(reply: FastifyReply, page: string, policy: string): FastifyReply {
	return reply.type("text/html; charset=utf-8").header("content-security-policy", policy).send(page);
}
