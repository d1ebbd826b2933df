import { callerOf, open, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, OneTimeValue, Shape } from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { requireSession } from "../sessions/require-session.ts";
import { proveEmail, requestVerification } from "./verify-email.ts";

/** The proof that an address is the person's. */
export const verifyEmailRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/email/verification-request",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Sends the person a link that proves their address",
			response: {
				202: Type.Object({ accepted: Type.Literal(true) }),
				401: FailureBody,
				403: FailureBody,
				429: FailureBody,
			},
		},
		handler: async (request, reply) => {
			const { userId } = await requireSession(dependencies, callerOf(request));
			await requestVerification(dependencies, userId, originOf(request, dependencies.now()));
			return reply.code(202).send({ accepted: true });
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/auth/email/verify",
		access: open("the value of the link is the proof"),
		schema: {
			summary: "Proves an address by the link that was sent to it",
			body: Shape({ token: OneTimeValue }),
			response: { 200: Type.Object({ verified: Type.Literal(true) }), 400: FailureBody },
		},
		handler: async (request) => {
			await proveEmail(dependencies, request.body.token, originOf(request, dependencies.now()));
			return { verified: true as const };
		},
	}),
];
