import { open, type Route, route } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import type { Client } from "../clients/client.ts";
import { originsOf } from "../clients/client-directory.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { Me } from "../users/me.ts";
import { formType, requireForm } from "./require-form.ts";
import { resume } from "./resume.ts";
import { TokenResponse } from "./token.routes.ts";

const ResumeResponse = Type.Object({
	...TokenResponse.properties,
	me: Type.Optional(
		Type.Object(Me.properties, {
			description: "The answer of GET /auth/me, for a page that is loaded: not with session_id",
		}),
	),
});

const ResumeRequest = Type.Object({
	client_id: Type.String({ minLength: 1, maxLength: 100 }),
	tenant: Type.Optional(Type.String({ maxLength: 63 })),
	session_id: Type.Optional(
		Type.String({
			maxLength: 36,
			description: "The session to continue; no other one is continued or opened",
		}),
	),
});

/**
 * `POST /api/v1/auth/resume`: a page of a first-party client continues the session of its browser, without
 * leaving for `/authorize` (decision 0052). A form, so that the browser asks for no preflight.
 */
export const resumeRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/resume",
		access: open("the cookie of the browser is the proof, from a page of the client only"),
		onRequest: requireForm,
		schema: {
			summary: "Issues an access token to a page of a first-party client, by the cookie of its browser",
			description: "204: the person must sign in first, or has no access to the tenant; go to /authorize.",
			consumes: [formType],
			body: ResumeRequest,
			response: { 200: ResumeResponse, 204: Type.Null(), 400: FailureBody, 403: FailureBody },
		},
		handler: async (request, reply) => {
			reply.header("cache-control", "no-store");
			const { client_id: clientId, tenant, session_id: sessionId } = request.body;
			const client = await dependencies.clients.find(clientId);
			requirePageOf(client, request.headers.origin);
			const cookie = dependencies.cookie.read(request);
			const resuming = { cookie, client, tenantSlug: tenant === "" ? undefined : tenant, sessionId };
			const tokens = await resume(dependencies, resuming, originOf(request, dependencies.now()));
			return tokens ?? reply.code(204).send(null);
		},
	}),
];

/**
 * Only a page of the client itself may ask: its redirect addresses are where its codes would go. Throws
 * `origin_forbidden`.
 */
function requirePageOf(client: Client | undefined, origin = ""): asserts client is Client {
	const isAllowed = client?.isFirstParty && client.isPublic && originsOf(client.redirectUris).has(origin);
	if (isAllowed !== true) throw failures.origin_forbidden();
}
