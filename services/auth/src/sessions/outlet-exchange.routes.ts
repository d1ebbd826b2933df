import { callerOf, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { mintExchangeToken } from "../token/exchange-token.ts";
import { exchangeableIds } from "../token/standing.ts";
import { findSession } from "./session.store.ts";

/** Changing the outlet later: a new exchange token for the session that asks. */
export const outletExchangeRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/outlet-exchange",
		access: signedIn(),
		schema: {
			summary: "A one-time token to choose another outlet with",
			response: {
				200: Type.Object({
					ssoExchangeToken: Type.String(),
					outletIds: Type.Array(Uuid, {
						description: "The outlets it is good for: those the person works at",
					}),
				}),
				401: FailureBody,
			},
		},
		handler: async (request, reply) => {
			const { db, now } = dependencies;
			const caller = callerOf(request);
			const sessionId = caller.kind === "user" ? caller.claims.sid : undefined;
			const session = sessionId === undefined ? undefined : await findSession(db, { sessionId, now: now() });
			if (sessionId === undefined || session === undefined) throw failures.session_ended();
			reply.header("cache-control", "no-store");
			const { user, tenant } = session.standing;
			return {
				ssoExchangeToken: await mintExchangeToken(dependencies, {
					sessionId,
					userId: user.id,
					tenantId: tenant.id,
				}),
				outletIds: exchangeableIds(session.standing),
			};
		},
	}),
];
