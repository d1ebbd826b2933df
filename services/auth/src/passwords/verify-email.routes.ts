import { callerOf, open, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, NewPassword, OneTimeValue, Shape } from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { rememberDevice } from "../sessions/browser/remember-device.ts";
import { requireSession } from "../sessions/grant/require-session.ts";
import { redeemLink } from "./redeem-link.ts";
import { requestVerification } from "./verify-email.ts";

/** The proof that an address is the person's. */
export const verifyEmailRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/email/verification-request",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Sends the user a link to verify their address",
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
			summary: "Verifies an address with the link that was sent to it, and sets a new password",
			description:
				"The account may have been registered by somebody else, with a password that they know. So verification sets a new password and ends every session.",
			body: Shape({ token: OneTimeValue, password: NewPassword }),
			response: {
				200: Type.Object({ verified: Type.Literal(true) }),
				400: FailureBody,
				429: FailureBody,
				503: FailureBody,
			},
		},
		handler: async (request, reply) => {
			const redeeming = { ...request.body, kind: "email_verification" } as const;
			const { emailFolded } = await redeemLink(
				dependencies,
				redeeming,
				originOf(request, dependencies.now()),
			);
			rememberDevice(dependencies, { request, reply, emailFolded });
			return { verified: true as const };
		},
	}),
];
