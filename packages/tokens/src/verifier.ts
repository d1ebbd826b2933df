import { hash } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";
import { LRUCache } from "lru-cache";
import { readHeader, readSigned, TokenRefused } from "./jwt.ts";
import type { KeySet } from "./key-set.ts";
import { createRecentTokens } from "./recent-tokens.ts";
import type { VerifyingKey } from "./signing-key.ts";

/** The clock skew that is tolerated in either direction, in seconds (RFC 7519 §4.1.4). */
export const skewSeconds = 60;

export type VerifierOptions = {
	issuer: string;
	/**
	 * The token's `aud` must contain one of these. Undefined accepts every audience: only for the issuer when
	 * it verifies its own tokens.
	 */
	audiences: readonly string[] | undefined;
	keys: KeySet;
	now: () => Date;
	/** Called on every verification, also for cached tokens. */
	isRevoked?: (claims: AccessTokenClaims) => boolean;
	/** The maximum number of cached tokens. Default: 10,000. */
	cacheMax?: number;
};

export type Verifier = {
	/**
	 * Returns the claims of a valid access token. Throws TokenRefused, or KeySetUnavailable if the issuer's
	 * keys cannot be fetched.
	 */
	verify(token: string): Promise<AccessTokenClaims>;
	/**
	 * Returns the claims of a cached token synchronously. Returns undefined if the token or its key is not
	 * cached; `verify` then decides. Throws TokenRefused if the token has expired or was revoked since.
	 */
	peek(token: string): AccessTokenClaims | undefined;
	/**
	 * Checks verified claims again, for a connection that stays open. Neither the token nor its key needs to be
	 * cached. Throws TokenRefused if the token has expired or was revoked since.
	 */
	recheck(claims: AccessTokenClaims): void;
	/** Removes every cached token. */
	clear(): void;
};

/**
 * Verifies access tokens (RFC 9068): type, algorithm, signature, issuer, audience, expiry, revocation. The
 * signature is verified once; afterwards the token is cached by its SHA-256, and only key, expiry and
 * revocation are checked.
 */
export function createVerifier({
	issuer,
	audiences,
	keys,
	now,
	isRevoked,
	cacheMax = 10_000,
}: VerifierOptions): Verifier {
	const seen = new LRUCache<string, Verified>({ max: cacheMax });
	const recent = createRecentTokens<Verified>(Math.min(cacheMax, recentMax));

	const current = (claims: AccessTokenClaims): AccessTokenClaims => {
		checkTimes(claims, now());
		if (isRevoked?.(claims) === true) throw new TokenRefused("revoked");
		return claims;
	};
	const findKey = async (kid: string): Promise<VerifyingKey> => {
		const key = keys.peek(kid) ?? (await keys.find(kid));
		if (key === undefined) throw new TokenRefused("key_unknown");
		return key;
	};

	const recall = (token: string): Verified | undefined => {
		const cached = recent.get(token);
		if (cached !== undefined) return cached;
		const known = seen.get(digestOf(token));
		if (known !== undefined) recent.put(token, known);
		return known;
	};
	return {
		peek(token) {
			const known = recall(token);
			return known !== undefined && keys.peek(known.kid) !== undefined ? current(known.claims) : undefined;
		},
		async verify(token) {
			const known = recall(token);
			if (known !== undefined) {
				await findKey(known.kid);
				return current(known.claims);
			}
			const { kid, typ } = readHeader(token);
			if (typ !== "at+jwt") throw new TokenRefused("type");
			const claims = current(readAccessToken(token, await findKey(kid), { issuer, audiences }));
			seen.set(digestOf(token), { kid, claims });
			return claims;
		},
		recheck: (claims) => void current(claims),
		clear() {
			seen.clear();
			recent.clear();
		},
	};
}

/** The number of recently used tokens that are found without a SHA-256. */
const recentMax = 500;
const digestOf = (token: string) => hash("sha256", token, "base64url");

/**
 * A verified token: its claims, and the key that verified it. It is valid only as long as that key is
 * published.
 */
type Verified = { kid: string; claims: AccessTokenClaims };

function readAccessToken(
	token: string,
	key: VerifyingKey,
	{ issuer, audiences }: { issuer: string; audiences: readonly string[] | undefined },
): AccessTokenClaims {
	const claims = readSigned(token, key);
	if (claims.iss !== issuer) throw new TokenRefused("issuer");
	const named: readonly unknown[] = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
	if (audiences !== undefined && !audiences.some((audience) => named.includes(audience)))
		throw new TokenRefused("audience");
	if (!isAccessToken(claims)) throw new TokenRefused("claims");
	return claims;
}

const text = (value: unknown) => typeof value === "string";
const texts = (value: unknown) => value === undefined || (Array.isArray(value) && value.every(text));

/** Checks the types of the claims that decisions depend on. Other claims are passed on unchecked. */
function isAccessToken(claims: Record<string, unknown>): claims is AccessTokenClaims {
	const { sub, jti, client_id, exp, iat, idtyp, roles, permissions, products } = claims;
	return (
		[sub, jti, client_id].every(text) &&
		Number.isInteger(exp) &&
		Number.isInteger(iat) &&
		[roles, permissions, products].every(texts) &&
		["scope", "sid", "email", "tenant_id", "tenant_slug"].every(
			(name) => claims[name] === undefined || text(claims[name]),
		) &&
		[undefined, "user", "app"].includes(idtyp as string | undefined)
	);
}

function checkTimes({ exp, iat }: AccessTokenClaims, now: Date): void {
	const seconds = now.getTime() / 1_000;
	if (seconds >= exp + skewSeconds) throw new TokenRefused("expired");
	if (seconds < iat - skewSeconds) throw new TokenRefused("not_yet");
}
