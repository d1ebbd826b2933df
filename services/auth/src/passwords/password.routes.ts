import { setTimeout as sleep } from "node:timers/promises";
import { callerOf, open, type Route, route, signedIn } from "@lango/chassis";
import { Email, FailureBody, NewPassword, OneTimeValue, Shape } from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { rememberDevice } from "../sessions/browser/remember-device.ts";
import { requireSession } from "../sessions/grant/require-session.ts";
import { changePassword } from "./change-password.ts";
import { redeemLink } from "./redeem-link.ts";
import { requestReset } from "./reset-password.ts";

/**
 * Longer than the work takes, so that the response time does not reveal whether the address is registered.
 */
const answerMs = 250;

const Accepted = Type.Object({ accepted: Type.Literal(true) });
const Changed = Type.Object({ changed: Type.Literal(true) });
const refusals = { 400: FailureBody, 429: FailureBody, 503: FailureBody };

/** Change of a password with the current one, and reset with a link. */
export const passwordRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/password/change",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Changes the password and signs out every other session",
			body: Shape({
				current_password: Type.String({ minLength: 1, maxLength: 1_000 }),
				new_password: NewPassword,
			}),
			response: { 200: Changed, 401: FailureBody, 403: FailureBody, ...refusals },
		},
		handler: async (request) => {
			const {
				id: sessionId,
				userId,
				membershipState,
			} = await requireSession(dependencies, callerOf(request));
			const { current_password: current, new_password: next } = request.body;
			const change = { userId, email: membershipState.user.email, sessionId, current, next };
			await changePassword(dependencies, change, originOf(request, dependencies.now()));
			return { changed: true as const };
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/auth/password/reset-request",
		access: open("who forgot the password cannot sign in"),
		schema: {
			summary:
				"Sends a password reset link if the address is registered; the response is the same if it is not",
			body: Shape({ email: Email }),
			response: { 202: Accepted, ...refusals },
		},
		handler: async (request, reply) => {
			const answerAt = sleep(answerMs);
			await requestReset(dependencies, request.body.email, originOf(request, dependencies.now()));
			await answerAt;
			return reply.code(202).send({ accepted: true });
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/auth/password/reset",
		access: open("the value of the link is the proof"),
		schema: {
			summary: "Sets a new password with a link and signs out every session",
			body: Shape({ token: OneTimeValue, password: NewPassword }),
			response: { 200: Changed, ...refusals },
		},
		handler: async (request, reply) => {
			const redeeming = { ...request.body, kind: "password_reset" } as const;
			const { emailFolded } = await redeemLink(
				dependencies,
				redeeming,
				originOf(request, dependencies.now()),
			);
			rememberDevice(dependencies, { request, reply, emailFolded });
			return { changed: true as const };
		},
	}),
];
