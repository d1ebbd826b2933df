import { open, type Route, route } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import { authenticateNamedClient } from "../clients/authenticate-client.ts";
import type { Dependencies } from "../dependencies.ts";
import { TokenResponse } from "../token/token.routes.ts";
import { selectOutlet } from "./select-outlet.ts";

const Selection = Shape({
	ssoExchangeToken: Type.String({ minLength: 1, maxLength: 200 }),
	outletId: Uuid,
	client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
	client_secret: Type.Optional(
		Type.String({
			maxLength: 200,
			description: "Of a confidential client, unless it authenticates by header",
		}),
	),
});

export const selectOutletRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/select-outlet",
		access: open(
			"§5.15: the exchange token in the body is the proof; confidential clients authenticate, too",
		),
		schema: {
			summary: "Selects the outlet of a session and returns its final tokens",
			description:
				"An exchange that began at /token is answered with all tokens of the session. One that began at /auth/outlet-exchange is answered with an access token only, which has the scope and audience of the one it began with and expires no later. The fifth outlet that is refused consumes the exchange token.",
			body: Selection,
			response: { 200: TokenResponse, 400: FailureBody, 401: FailureBody, 403: FailureBody },
		},
		handler: async ({ body, headers }, reply) => {
			reply.header("cache-control", "no-store");
			const client = await authenticateNamedClient(dependencies.clients, {
				authorization: headers.authorization,
				clientId: body.client_id,
				clientSecret: body.client_secret,
			});
			const { ssoExchangeToken: exchangeToken, outletId } = body;
			return selectOutlet(dependencies, { exchangeToken, outletId, client });
		},
	}),
];
