import { callerOf, type Route, route, signedIn } from "@lango/chassis";
import { type AccessTokenClaims, FailureBody } from "@lango/contracts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findSession, isSessionLive } from "../sessions/session.store.ts";
import { mayGoOn } from "../token/standing.ts";
import { describeMe, Me } from "./me.ts";
import { listMemberships } from "./user.store.ts";

export const meRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/auth/me",
		access: signedIn(),
		schema: {
			summary: "Who is signed in, with roles, permissions and tenants",
			response: { 200: Me, 401: FailureBody },
		},
		handler: async (request, reply) => {
			const caller = callerOf(request);
			if (caller.kind !== "user" || caller.claims.sid === undefined) throw failures.session_ended();
			reply.header("cache-control", "private, no-cache");
			return readMe(dependencies, { ...caller.claims, sid: caller.claims.sid });
		},
	}),
];

/** Whether the session lives is looked up each time; who it is about is remembered until it changes. */
async function readMe(
	{ db, now, meCache, settings: { platformOwnerSlug } }: Dependencies,
	{ sid: sessionId, exp }: AccessTokenClaims & { sid: string },
) {
	const remembered = meCache.find(sessionId, now());
	if (remembered !== undefined) {
		if (!(await isSessionLive(db, { sessionId, now: now() }))) throw failures.session_ended();
		const still = meCache.find(sessionId, now());
		if (still !== undefined) return still;
	}
	const keep = meCache.begin();
	const session = await findSession(db, { sessionId, now: now() });
	if (session === undefined || !mayGoOn(session.standing)) throw failures.session_ended();
	const memberships = await listMemberships(db, session.standing.user.id);
	const me = describeMe(session, { memberships, platformOwnerSlug });
	keep?.(me, { sessionId, until: new Date(exp * 1_000) });
	return me;
}
