import { createHash, randomUUID } from "node:crypto";
import { hashSecret } from "@lango/tokens";
import type { Client } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { endSession } from "../sessions/end-session.ts";
import {
	refreshGraceSeconds,
	refreshIdleSeconds,
	refreshLifeSeconds,
	successorOf,
} from "../sessions/refresh-token.ts";
import { exchangeCode, rotateSession } from "../sessions/session.store.ts";
import { issueTokens, type TokenAnswer } from "./issue-tokens.ts";
import { mayGoOn } from "./standing.ts";

const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Trades an authorization code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5). The code is used up whatever comes of it;
 * used twice, the session it opened is revoked. Throws `invalid_grant`, and `invalid_request` for a malformed verifier.
 */
export async function tradeCode(
	dependencies: Dependencies,
	{
		client,
		code,
		redirectUri,
		codeVerifier,
	}: { client: Client; code: string; redirectUri: string | undefined; codeVerifier: string | undefined },
): Promise<TokenAnswer> {
	if (codeVerifier !== undefined && !verifierForm.test(codeVerifier))
		throw oauthFailures.invalid_request({
			message: "code_verifier is 43 to 128 characters of A-Z a-z 0-9 - . _ ~ (RFC 7636 §4.1).",
		});
	const { db, now, refreshTokens } = dependencies;
	const sessionId = randomUUID();
	const first = refreshTokens.first(sessionId);
	const refreshToken = refreshTokens.write(first);
	const used = await exchangeCode(db, {
		codeHash: hashSecret(code),
		clientId: client.id,
		redirectUri,
		sessionId,
		refresh: { hash: hashSecret(refreshToken), salt: first.salt, keyId: first.keyId },
		codeChallenge:
			codeVerifier === undefined ? undefined : createHash("sha256").update(codeVerifier).digest("base64url"),
		idleSeconds: refreshIdleSeconds,
		lifeSeconds: refreshLifeSeconds,
		now: now(),
	});
	if (used.standing === undefined) {
		if (used.opened !== undefined)
			await endSession(db, { sessionId: used.opened, now: now(), because: "code_used_twice" });
		throw oauthFailures.invalid_grant({ message: codeRefusals[used.outcome] ?? codeRefusals.unknown ?? "" });
	}
	const { standing, nonce, scope } = used;
	if (!mayGoOn(standing)) {
		await endSession(db, { sessionId, now: now(), because: "access_removed" });
		throw noLonger();
	}
	return issueTokens(dependencies, {
		standing,
		nonce,
		session: { ...used, id: sessionId, clientId: client.clientId, idTokenAlgorithm: client.idTokenAlgorithm },
		refreshToken: scope.split(" ").includes("offline_access") ? refreshToken : undefined,
	});
}

const codeRefusals: Record<string, string | undefined> = {
	unknown: "The code is not valid.",
	used: "The code was used before. If it opened a session, that is ended.",
	expired: "The code has expired.",
	client: "The code was made for another client.",
	redirect_uri: "redirect_uri is not the one the code was asked for with.",
	code_verifier: "code_verifier does not fit the code's challenge.",
	signed_out: "The person has signed out.",
};

/**
 * Trades a refresh token for the next tokens (RFC 6749 §6). Within the grace the token before the live one gives the
 * same successor again; an older one revokes its session and no other. Throws `invalid_grant`.
 */
export async function refresh(
	dependencies: Dependencies,
	{ client, refreshToken }: { client: Client; refreshToken: string },
): Promise<TokenAnswer> {
	const { db, now, refreshTokens } = dependencies;
	const token = refreshTokens.read(refreshToken);
	if (token === undefined) throw oauthFailures.invalid_grant({ message: "The refresh token is not valid." });
	const successor = refreshTokens.write(successorOf(token));
	const rotated = await rotateSession(db, {
		sessionId: token.sessionId,
		clientId: client.id,
		generation: token.generation,
		hash: hashSecret(refreshToken),
		nextHash: hashSecret(successor),
		idleSeconds: refreshIdleSeconds,
		graceSeconds: refreshGraceSeconds,
		now: now(),
	});
	if (rotated.standing === undefined) {
		if (rotated.outcome === "reused")
			await endSession(db, { sessionId: token.sessionId, now: now(), because: "refresh_token_reused" });
		throw oauthFailures.invalid_grant({
			message: refreshRefusals[rotated.outcome] ?? "The refresh token is not valid.",
		});
	}
	const { standing } = rotated;
	if (!mayGoOn(standing)) throw noLonger();
	return issueTokens(dependencies, {
		standing,
		session: {
			...rotated,
			id: token.sessionId,
			clientId: client.clientId,
			idTokenAlgorithm: client.idTokenAlgorithm,
		},
		refreshToken: successor,
	});
}

const noLonger = () =>
	oauthFailures.invalid_grant({ message: "The person may no longer sign in to this tenant." });

const refreshRefusals: Record<string, string | undefined> = {
	revoked: "The session was ended.",
	expired: "The refresh token has expired.",
	reused: "The refresh token was used before. Its session is ended.",
};
