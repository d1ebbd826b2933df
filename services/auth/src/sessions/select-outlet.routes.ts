import { open, type Route, route } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { TokenResponse } from "../token/token.routes.ts";
import { selectOutlet } from "./select-outlet.ts";

const Selection = Shape({ ssoExchangeToken: Type.String({ minLength: 1, maxLength: 200 }), outletId: Uuid });

export const selectOutletRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/select-outlet",
		access: open("§5.15: the exchange token in the body is the proof"),
		schema: {
			summary: "Chooses the outlet of a session and answers its final tokens",
			body: Selection,
			response: { 200: TokenResponse, 400: FailureBody, 401: FailureBody, 403: FailureBody },
		},
		handler: async ({ body }, reply) => {
			reply.header("cache-control", "no-store");
			return selectOutlet(dependencies, { exchangeToken: body.ssoExchangeToken, outletId: body.outletId });
		},
	}),
];
