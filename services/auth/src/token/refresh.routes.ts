import { Failure, open, type Route, route } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import { authenticateClient } from "../clients/authenticate-client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { refresh } from "./exchange.ts";
import { TokenResponse } from "./token.routes.ts";

const RefreshRequest = Type.Object({
	refresh_token: Type.String({ minLength: 1, maxLength: 400 }),
	client_id: Type.String({ minLength: 1, maxLength: 100 }),
	client_secret: Type.Optional(Type.String({ maxLength: 200 })),
	scope: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
	resource: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
});

/**
 * `POST /api/v1/auth/refresh` (spec §4.1): the refresh grant of the token endpoint, with the
 * specification's request and response.
 */
export const refreshRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/refresh",
		access: open("§4.1: the refresh token in the body is the proof"),
		schema: {
			summary: "Exchanges a refresh token for new tokens",
			body: RefreshRequest,
			response: { 200: TokenResponse, 400: FailureBody, 401: FailureBody },
		},
		handler: async (request, reply) => {
			const { body, headers } = request;
			reply.header("cache-control", "no-store");
			try {
				const client = await authenticateClient(dependencies.clients, {
					authorization: headers.authorization,
					clientId: body.client_id,
					clientSecret: body.client_secret,
				});
				const { refresh_token: refreshToken, scope, resource } = body;
				const origin = originOf(request, dependencies.now());
				return await refresh(dependencies, { client, refreshToken, scope, resource }, origin);
			} catch (error) {
				if (error instanceof Failure && ["invalid_grant", "invalid_client"].includes(error.code))
					throw failures.invalid_grant({ message: error.message });
				throw error;
			}
		},
	}),
];
