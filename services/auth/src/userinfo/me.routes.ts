import { callerOf, type Route, route, signedIn } from "@lango/chassis";
import { type AccessTokenClaims, FailureBody } from "@lango/contracts";
import Type from "typebox";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { mayHaveTokens } from "../memberships/membership-state.ts";
import { requireSession } from "../sessions/grant/require-session.ts";
import { findLiveSessionOutlet, findSession } from "../sessions/grant/session.store.ts";
import { describeMe, Me, MeChange, requireOutletInScope } from "../users/me.ts";
import { listMemberships } from "../users/user.store.ts";
import { changeMe } from "./change-me.ts";

export const meRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/auth/me",
		access: signedIn(),
		schema: {
			summary: "Returns the signed-in user with roles, permissions and tenants",
			headers: Type.Object({
				"x-outlet-id": Type.Optional(
					Type.String({
						description:
							"The outlet that the application works at: 403 outlet_forbidden if it is outside of the caller's scope. The answer is the same as without it. Ignored if it is not a UUID, or if the caller has no outlet.",
					}),
				),
			}),
			response: { 200: Me, 401: FailureBody, 403: FailureBody },
		},
		handler: async (request, reply) => {
			const caller = callerOf(request);
			if (caller.kind !== "user" || caller.claims.sid === undefined) throw failures.session_ended();
			reply.header("cache-control", "private, no-cache");
			const profile = await readMe(dependencies, { ...caller.claims, sid: caller.claims.sid });
			requireOutletInScope(profile, request.headers["x-outlet-id"]);
			return profile;
		},
	}),
	route({
		method: "PATCH",
		url: "/api/v1/auth/me",
		access: signedIn(),
		pending: "admitted",
		schema: {
			summary: "Changes the language and the theme of the caller",
			description: "What is left out stays. Null removes the choice.",
			body: MeChange,
			response: { 204: Type.Null(), 400: FailureBody, 401: FailureBody, 403: FailureBody },
		},
		handler: async (request, reply) => {
			const { userId } = await requireSession(dependencies, callerOf(request));
			const changing = { userId, change: request.body };
			await changeMe(dependencies, changing, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];

/**
 * The session and its outlet are read each time, so that a selected outlet is visible at once. The user's
 * data is cached until it changes.
 */
async function readMe(
	{
		db,
		now,
		meCache,
		settings: { platformOwnerSlug },
	}: Pick<Dependencies, "db" | "meCache" | "now" | "settings">,
	{ sid: sessionId, tenant_id: tenantId, exp }: AccessTokenClaims & { sid: string },
) {
	if (meCache.get(sessionId) !== undefined) {
		const outlet = await findLiveSessionOutlet(db, { tenantId, sessionId, now: now() });
		if (outlet === undefined) throw failures.session_ended();
		const still = meCache.get(sessionId)?.value;
		if (still?.outlet === outlet) return still.profile;
	}
	const store = meCache.begin();
	const session = await findSession(db, { tenantId, sessionId, now: now() });
	if (session === undefined || !mayHaveTokens(session.membershipState)) throw failures.session_ended();
	const memberships = await listMemberships(db, session.membershipState.user.id);
	const profile = describeMe(session, { memberships, platformOwnerSlug });
	store(sessionId, { profile, outlet: session.outletId ?? "", until: new Date(exp * 1_000) });
	return profile;
}
