import { callerOf, open, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import { hashSecret } from "@lango/tokens";
import Type from "typebox";
import type { Dependencies } from "../../dependencies.ts";
import { failures } from "../../failures.ts";
import { requireNavigation } from "../browser/require-navigation.ts";
import { sessionOf } from "../grant/session.store.ts";
import { endBrowser, endSession } from "./end-session.ts";
import { isReturnAddress } from "./return-address.ts";

/** Sign-out (spec §4.1): of the browser session by GET, of a client session by POST. */
export const logoutRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/auth/logout",
		access: open("§4.1: a browser is sent here to sign out, with its cookie or without"),
		schema: {
			summary:
				"Ends the browser session and redirects to an allow-listed address, or else to the sign-in page",
			querystring: Type.Object({
				post_logout_redirect_uri: Type.Optional(
					Type.String({ maxLength: 2_048, description: "On the origin of a registered front end" }),
				),
			}),
			response: { 400: FailureBody, 403: FailureBody },
		},
		handler: async (request, reply) => {
			requireNavigation(request.headers);
			const { db, now, clients, cookie, settings } = dependencies;
			const value = cookie.read(request);
			const ending = { now: now(), because: "signed_out", correlationId: request.id } as const;
			if (value !== undefined) await endBrowser(db, { ...ending, browser: { tokenHash: hashSecret(value) } });
			cookie.clear(reply);
			const requested = request.query.post_logout_redirect_uri;
			const known = new Set([...(await clients.origins()), new URL(settings.accountsUrl).origin]);
			const isListed = requested !== undefined && isReturnAddress(requested, known);
			const target = isListed ? requested : `${settings.accountsUrl}/login`;
			return reply.header("cache-control", "no-store").redirect(target, 303);
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/auth/logout",
		access: signedIn(),
		scope: "any",
		schema: {
			summary: "Revokes the session of the bearer token",
			response: { 200: Type.Object({ revoked: Type.Literal(true) }), 401: FailureBody },
		},
		handler: async (request) => {
			const caller = callerOf(request);
			const session = caller.kind === "user" ? sessionOf(caller.claims) : undefined;
			if (session === undefined) throw failures.session_ended();
			const ending = { now: dependencies.now(), because: "signed_out", correlationId: request.id } as const;
			await endSession(dependencies.db, { ...ending, ...session });
			return { revoked: true as const };
		},
	}),
];
