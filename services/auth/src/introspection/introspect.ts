import type { AccessTokenClaims } from "@lango/contracts";
import { hashSecret, TokenRefused } from "@lango/tokens";
import { type Client, mayRefresh, scopeNow } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { mayHaveTokens } from "../memberships/membership-state.ts";
import { findSession, isLiveRefreshToken, sessionOf } from "../sessions/grant/session.store.ts";
import { resourceOf } from "../token/resource.ts";

/**
 * The answer of introspection (RFC 7662 §2.2). An invalid token gets only `active: false`, whatever the
 * reason.
 */
export type Introspection = { active: false } | ({ active: true } & Record<string, unknown>);

const inactive: Introspection = { active: false };
type Question = { client: Client; token: string };

type Needs = Pick<Dependencies, "clients" | "db" | "now" | "ownTokens" | "refreshTokens" | "settings">;

/**
 * Reports whether a token is active: its signature is valid, it has not expired, its client is registered
 * and its session is live. A client gets the claims of tokens that were issued to it or have it in their
 * audience; all other tokens are reported as inactive (RFC 7662 §4).
 */
export async function introspect(dependencies: Needs, question: Question): Promise<Introspection> {
	return dependencies.refreshTokens.read(question.token) === undefined
		? introspectAccessToken(dependencies, question)
		: introspectRefreshToken(dependencies, question);
}

async function introspectAccessToken(
	{ db, ownTokens, clients, now, settings }: Needs,
	{ client, token }: Question,
): Promise<Introspection> {
	try {
		const claims = await ownTokens.verify(token);
		if (!mayAsk(client, claims, settings.audience)) return inactive;
		const answer = { active: true, token_type: "Bearer", ...claims } as const;
		const named = sessionOf(claims);
		if (named === undefined) {
			const issuedTo = await clients.find(claims.client_id);
			return issuedTo?.id === claims.sub ? answer : inactive;
		}
		const session = await findSession(db, { ...named, now: now() });
		if (session === undefined || !mayHaveTokens(session.membershipState)) return inactive;
		return { ...answer, ...(claims.email !== undefined && { username: claims.email }) };
	} catch (error) {
		if (error instanceof TokenRefused) return inactive;
		throw error;
	}
}

/**
 * Whether a client was issued the token or is in its audience. A token for the whole platform has every
 * registered client in its audience.
 */
function mayAsk(client: Client, { client_id, aud }: AccessTokenClaims, audience: string): boolean {
	const meant = [aud].flat();
	return (
		client_id === client.clientId ||
		meant.includes(audience) ||
		meant.includes(resourceOf(client.clientId, audience))
	);
}

async function introspectRefreshToken(
	{ db, refreshTokens, now, settings }: Needs,
	{ client, token }: Question,
): Promise<Introspection> {
	const read = refreshTokens.read(token);
	if (read === undefined || !mayRefresh(client)) return inactive;
	const session = await findSession(db, { ...read, now: now() });
	if (session === undefined || session.clientId !== client.clientId) return inactive;
	const isLive = await isLiveRefreshToken(db, {
		...read,
		hash: hashSecret(token),
		now: now(),
	});
	if (!isLive || !mayHaveTokens(session.membershipState)) return inactive;
	const { clientId, membershipState } = session;
	return {
		active: true,
		iss: settings.authUrl,
		sub: membershipState.user.id,
		client_id: clientId,
		scope: scopeNow(client, session.scope),
		sid: read.sessionId,
		token_type: "refresh_token",
	};
}
