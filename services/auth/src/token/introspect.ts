import { hashSecret, TokenRefused } from "@lango/tokens";
import type { Client } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { findSession, isLiveRefreshToken } from "../sessions/session.store.ts";
import { mayGoOn } from "./standing.ts";

/** What is said of a token (RFC 7662 §2.2): nothing but `active: false` of one that is not good, whatever the reason. */
export type Introspection = { active: false } | ({ active: true } & Record<string, unknown>);

const inactive: Introspection = { active: false };

/** Whether a token is good now: signed, unexpired, and its session lives. */
export async function introspect(
	dependencies: Dependencies,
	{ token }: { client: Client; token: string },
): Promise<Introspection> {
	return dependencies.refreshTokens.read(token) === undefined
		? introspectAccessToken(dependencies, token)
		: introspectRefreshToken(dependencies, token);
}

async function introspectAccessToken(
	{ db, ownTokens, now }: Dependencies,
	token: string,
): Promise<Introspection> {
	try {
		const claims = await ownTokens.verify(token);
		if (claims.sid === undefined) return { active: true, token_type: "Bearer", ...claims };
		const session = await findSession(db, { sessionId: claims.sid, now: now() });
		if (session === undefined || !mayGoOn(session.standing)) return inactive;
		return { active: true, token_type: "Bearer", username: claims.email, ...claims };
	} catch (error) {
		if (error instanceof TokenRefused) return inactive;
		throw error;
	}
}

async function introspectRefreshToken(
	{ db, refreshTokens, now, settings }: Dependencies,
	token: string,
): Promise<Introspection> {
	const read = refreshTokens.read(token);
	if (read === undefined) return inactive;
	const session = await findSession(db, { sessionId: read.sessionId, now: now() });
	const isLive = await isLiveRefreshToken(db, {
		sessionId: read.sessionId,
		hash: hashSecret(token),
		now: now(),
	});
	if (session === undefined || !isLive || !mayGoOn(session.standing)) return inactive;
	const { scope, clientId, standing } = session;
	return {
		active: true,
		iss: settings.authUrl,
		sub: standing.user.id,
		client_id: clientId,
		scope,
		sid: read.sessionId,
		token_type: "refresh_token",
	};
}
