import { hash, randomUUID } from "node:crypto";
import type { Failure } from "@lango/chassis";
import { apiScope } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { hashSecret } from "@lango/tokens";
import type { Origin } from "../audit/origin.ts";
import { type Client, mayRefresh, scopesIn } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { mayHaveTokens } from "../memberships/membership-state.ts";
import {
	type RefreshToken,
	refreshGraceSeconds,
	refreshIdleSeconds,
	refreshLifeSeconds,
	successorOf,
} from "../secrets/refresh-token.ts";
import { exchangeCode, rotateSession } from "../sessions/grant/session.store.ts";
import { endMisusedSession, endSession } from "../sessions/logout/end-session.ts";
import { endSurplusSessions } from "../sessions/logout/end-surplus-sessions.ts";
import { type IssuingNeeds, issueTokens, type TokenAnswer } from "./issue-tokens.ts";
import { isResource, readResource } from "./resource.ts";

const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/** The requested part of the granted scope and audience (RFC 6749 §6, RFC 8707 §2.2). */
type Asked = { resource: string | undefined };

type Needs = IssuingNeeds & Pick<Dependencies, "refreshTokens">;

/**
 * Exchanges an authorization code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5). The code is consumed even if
 * the request is invalid, because the code may be stolen. A second use revokes the session of the first.
 * Throws `invalid_grant`, `invalid_target`, and `invalid_request` for a malformed verifier.
 */
export async function tradeCode(
	dependencies: Needs,
	{
		client,
		code,
		redirectUri,
		codeVerifier,
		resource,
	}: Asked & {
		client: Client;
		code: string;
		redirectUri: string | undefined;
		codeVerifier: string | undefined;
	},
	origin: Origin,
): Promise<TokenAnswer> {
	const { db, settings, refreshTokens, tenantSecrets } = dependencies;
	const { now } = origin;
	const malformed = malformedOf({ codeVerifier, resource }, settings.audience);
	const read = tenantSecrets.read(code);
	if (read === undefined) throw malformed ?? codeRefused("unknown");
	const { tenantId } = read;
	const newId = randomUUID();
	const first = refreshTokens.first({ tenantId, sessionId: newId });
	const refreshToken = refreshTokens.write(first);
	const used = await exchangeCode(db, {
		tenantId,
		codeHash: hashSecret(read.secret),
		clientId: client.id,
		redirectUri,
		resource,
		sessionId: newId,
		refresh: { hash: hashSecret(refreshToken), salt: first.salt, keyId: first.keyId },
		codeChallenge: malformed === undefined ? challengeOf(codeVerifier) : fitsNone,
		idleSeconds: refreshIdleSeconds,
		lifeSeconds: refreshLifeSeconds,
		now,
	});
	if (used.membershipState === undefined) {
		await endOpened(db, { tenantId, sessionId: used.opened }, origin);
		throw used.outcome === "resource" ? wider("resource") : (malformed ?? codeRefused(used.outcome));
	}
	const { membershipState, nonce, scope, sessionId } = used;
	if (!mayHaveTokens(membershipState)) {
		await endSession(db, {
			tenantId,
			sessionId,
			now,
			because: "access_removed",
			correlationId: origin.requestId,
		});
		throw noLonger();
	}
	if (used.exceedsLimit)
		await endSurplusSessions(dependencies, {
			userId: membershipState.user.id,
			now,
			correlationId: origin.requestId,
		});
	return issueTokens(dependencies, {
		membershipState,
		nonce,
		session: { ...used, id: sessionId, client, resource: resource ?? used.resource },
		isIdTokenWanted: true,
		refreshToken: scopesIn(scope).includes("offline_access") ? refreshToken : undefined,
	});
}

/** Ends the session that the first use of a code opened. */
async function endOpened(
	db: Database,
	{ tenantId, sessionId }: { tenantId: string; sessionId: string | undefined },
	origin: Origin,
): Promise<void> {
	if (sessionId !== undefined)
		await endMisusedSession(db, { tenantId, sessionId, because: "code_used_twice" }, origin);
}

/** Matches no challenge, so that every code is refused with it. */
const fitsNone = "malformed";

const challengeOf = (verifier: string | undefined) =>
	verifier === undefined ? undefined : hash("sha256", verifier, "base64url");

type Brought = { codeVerifier: string | undefined; resource: string | undefined };

/** The failure of a request that is invalid for every code, or undefined. */
function malformedOf({ codeVerifier, resource }: Brought, audience: string): Failure | undefined {
	if (codeVerifier !== undefined && !verifierForm.test(codeVerifier))
		return oauthFailures.invalid_request({
			message: "code_verifier is 43 to 128 characters of A-Z a-z 0-9 - . _ ~ (RFC 7636 §4.1).",
		});
	return isResource(resource, audience) ? undefined : oauthFailures.invalid_target();
}

const codeRefused = (outcome: string) =>
	oauthFailures.invalid_grant({ message: codeRefusals[outcome] ?? codeRefusals.unknown ?? "" });

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
 * Exchanges a refresh token for new tokens (RFC 6749 §6). Within the grace period the previous token
 * returns the same successor again; an older one revokes its session. An ID token is included if the
 * client's setting says so or the `scope` parameter contains `openid` (OpenID Connect Core §12.2 allows
 * both). Throws `invalid_grant`, `invalid_scope`, `invalid_target`.
 */
export async function refresh(
	dependencies: Needs,
	{
		client,
		refreshToken,
		...asked
	}: Asked & { client: Client; refreshToken: string; scope: string | undefined },
	origin: Origin,
): Promise<TokenAnswer> {
	const { db, settings, refreshTokens } = dependencies;
	const resource = readResource(asked.resource, settings.audience);
	const scope = askedScope(client, asked.scope);
	const token = readToken(dependencies, client, refreshToken);
	const successor = refreshTokens.write(successorOf(token));
	const { tenantId, sessionId } = token;
	const rotated = await rotateSession(db, {
		tenantId,
		sessionId,
		clientId: client.id,
		generation: token.generation,
		hash: hashSecret(refreshToken),
		nextHash: hashSecret(successor),
		scope,
		resource,
		idleSeconds: refreshIdleSeconds,
		graceSeconds: refreshGraceSeconds,
		now: origin.now,
	});
	if (rotated.membershipState === undefined) {
		const { outcome } = rotated;
		if (outcome === "scope" || outcome === "resource") throw wider(outcome);
		if (outcome === "reused")
			await endMisusedSession(db, { tenantId, sessionId, because: "refresh_token_reused" }, origin);
		throw oauthFailures.invalid_grant({
			message: refreshRefusals[outcome] ?? "The refresh token is not valid.",
		});
	}
	const { membershipState } = rotated;
	if (!mayHaveTokens(membershipState)) throw noLonger();
	return issueTokens(dependencies, {
		membershipState,
		session: {
			...rotated,
			id: sessionId,
			client,
			scope: scope ?? rotated.scope,
			resource: resource ?? rotated.resource,
		},
		isIdTokenWanted: client.isIdTokenAtRefresh || scope !== undefined,
		refreshToken: successor,
	});
}

/**
 * Parses a refresh token. Throws `invalid_grant` if this server did not create it, or the client has lost
 * `offline_access`.
 */
function readToken({ refreshTokens }: Needs, client: Client, text: string): RefreshToken {
	const token = refreshTokens.read(text);
	if (token === undefined) throw oauthFailures.invalid_grant({ message: "The refresh token is not valid." });
	if (!mayRefresh(client))
		throw oauthFailures.invalid_grant({ message: "The client no longer has the scope offline_access." });
	return token;
}

/**
 * Each requested scope once, unknown ones included: they were not granted (RFC 6749 §6). Undefined when
 * none is named. A first-party client has `lango.api` without a grant.
 */
function askedScope({ isFirstParty }: Client, scope = ""): string | undefined {
	const asked = scopesIn(scope);
	if (asked.length === 0) return undefined;
	return [...new Set(asked)].filter((one) => !isFirstParty || one !== apiScope).join(" ");
}

/** RFC 6749 §6, RFC 8707 §2.2: a later request cannot exceed the grant. */
const wider = (what: "scope" | "resource") =>
	what === "scope"
		? oauthFailures.invalid_scope({ message: "scope exceeds what was granted." })
		: oauthFailures.invalid_target({ message: "resource exceeds what was granted." });

const noLonger = () =>
	oauthFailures.invalid_grant({ message: "The user can no longer sign in to this tenant." });

const refreshRefusals: Record<string, string | undefined> = {
	revoked: "The session was ended.",
	expired: "The refresh token has expired.",
	reused: "The refresh token was used before. Its session is ended.",
};
