import { callerOf, open, type Route, route, signedIn } from "@lango/chassis";
import {
	FailureBody,
	Joined,
	OneTimeValue,
	Organization,
	Registration,
	requestedRoles,
	Shape,
	Slug,
} from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { requireSession } from "../sessions/grant/require-session.ts";
import { foundFurther } from "./found-further.ts";
import { join } from "./join.ts";
import { register } from "./register.ts";
import { countingTaken } from "./taken.ts";

const Joining = Shape({
	tenant_slug: Type.Optional(Slug),
	invitation: Type.Optional(OneTimeValue),
	requested_role: Type.Optional(Type.Enum(requestedRoles, { type: "string" })),
});

const Founding = Shape({ organization: Organization });

const refusals = {
	400: FailureBody,
	403: FailureBody,
	404: FailureBody,
	409: FailureBody,
	429: FailureBody,
	503: FailureBody,
};

/** Registration, and joining a tenant. */
export const registrationRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/auth/register",
		access: open("§4.1: a person who registers has no user yet"),
		schema: {
			summary: "Registers a user with a new tenant or in an existing one",
			body: Registration,
			response: { 201: Joined, ...refusals },
		},
		handler: async (request, reply) => {
			const joined = await register(dependencies, request.body, originOf(request, dependencies.now()));
			return reply.code(201).header("cache-control", "no-store").send(joined);
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/auth/join",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Joins another tenant as the signed-in user, with an invitation or a join request",
			body: Joining,
			response: { 200: Joined, 401: FailureBody, ...refusals },
		},
		handler: async (request) => {
			const { userId } = await requireSession(dependencies, callerOf(request));
			const { tenant_slug: tenantSlug, invitation, requested_role: requestedRole } = request.body;
			const joining = { userId, tenantSlug, invitation, requestedRole };
			return join(dependencies, joining, originOf(request, dependencies.now()));
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/tenants",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Creates another tenant with the signed-in user as its administrator",
			body: Founding,
			response: { 201: Joined, 401: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const { userId } = await requireSession(dependencies, callerOf(request));
			const origin = originOf(request, dependencies.now());
			const { organization } = request.body;
			const joined = await countingTaken(dependencies.limits, origin.ip, async () => {
				await dependencies.limits.registrations.take(origin.ip);
				await dependencies.limits.foundings.take(userId);
				return foundFurther(dependencies, { userId, organization }, origin);
			});
			return reply.code(201).header("cache-control", "no-store").send(joined);
		},
	}),
];
