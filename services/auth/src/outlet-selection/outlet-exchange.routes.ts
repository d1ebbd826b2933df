import { callerOf, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { authenticateNamedClient } from "../clients/authenticate-client.ts";
import type { Dependencies } from "../dependencies.ts";
import { beginOutletSwitch } from "./begin-outlet-switch.ts";

const Credentials = Shape({
	client_id: Type.String({ minLength: 1, maxLength: 100 }),
	client_secret: Type.Optional(Type.String({ maxLength: 200 })),
});

/** Changing the outlet later: a new exchange token for the session of an access token. */
export const outletExchangeRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/outlet-exchange",
		access: signedIn(),
		schema: {
			summary: "Creates a one-time token to select another outlet",
			description:
				"It is worth an access token only, with the scope and audience of the one in the request and no later expiry. A confidential client sends client_id and client_secret in the body.",
			body: Type.Optional(Type.Union([Credentials, Type.Null()])),
			response: {
				200: Type.Object({
					ssoExchangeToken: Type.String(),
					outletIds: Type.Array(Uuid, {
						description: "The outlets that it can select: those assigned to the user",
					}),
				}),
				401: FailureBody,
			},
		},
		handler: async (request, reply) => {
			reply.header("cache-control", "no-store");
			const client = await authenticateNamedClient(dependencies.clients, {
				authorization: undefined,
				clientId: request.body?.client_id,
				clientSecret: request.body?.client_secret,
			});
			const caller = callerOf(request);
			const claims = caller.kind === "user" ? caller.claims : undefined;
			return beginOutletSwitch(dependencies, { claims, client });
		},
	}),
];
