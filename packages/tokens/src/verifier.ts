import { createHash } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";
import { readHeader, readSigned, TokenRefused } from "./jwt.ts";
import type { KeySet } from "./key-set.ts";
import type { VerifyingKey } from "./signing-key.ts";

/** Clocks may differ by this much, either way (RFC 7519 §4.1.4). */
export const skewSeconds = 60;

export type VerifierOptions = {
	issuer: string;
	/** The token's `aud` must name this. */
	audience: string;
	keys: KeySet;
	now: () => Date;
	/** Looked at on every call, also for tokens seen before. */
	isRevoked?: (claims: AccessTokenClaims) => boolean;
	/** How many verified tokens are remembered. */
	cacheMax?: number;
};

export type Verifier = {
	/** The claims of a valid access token. Throws TokenRefused, or KeySetUnavailable when the issuer's keys cannot be had. */
	verify(token: string): Promise<AccessTokenClaims>;
	/** Forgets every token verified so far. */
	clear(): void;
};

/**
 * Checks access tokens (RFC 9068): type, algorithm, signature, issuer, audience, expiry, revocation. A token's
 * signature is checked once; afterwards it is known by its SHA-256, and its expiry and revocation are looked at each time.
 */
export function createVerifier({
	issuer,
	audience,
	keys,
	now,
	isRevoked,
	cacheMax = 10_000,
}: VerifierOptions): Verifier {
	const seen = new Map<string, AccessTokenClaims>();

	const remember = (digest: string, claims: AccessTokenClaims) => {
		seen.delete(digest);
		seen.set(digest, claims);
		const oldest = seen.size > cacheMax ? seen.keys().next() : undefined;
		if (oldest?.value !== undefined) seen.delete(oldest.value);
	};
	const current = (claims: AccessTokenClaims): AccessTokenClaims => {
		checkTimes(claims, now());
		if (isRevoked?.(claims) === true) throw new TokenRefused("revoked");
		return claims;
	};

	return {
		async verify(token) {
			const digest = createHash("sha256").update(token).digest("base64url");
			const known = seen.get(digest);
			if (known !== undefined) {
				remember(digest, known);
				return current(known);
			}
			const { kid, typ } = readHeader(token);
			if (typ !== "at+jwt") throw new TokenRefused("type");
			const key = keys.peek(kid) ?? (await keys.find(kid));
			const claims = current(readAccessToken(token, key, { issuer, audience }));
			remember(digest, claims);
			return claims;
		},
		clear: () => seen.clear(),
	};
}

function readAccessToken(
	token: string,
	key: VerifyingKey | undefined,
	{ issuer, audience }: { issuer: string; audience: string },
): AccessTokenClaims {
	if (key === undefined) throw new TokenRefused("key_unknown");
	const claims = readSigned(token, key);
	if (claims.iss !== issuer) throw new TokenRefused("issuer");
	const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
	if (!audiences.includes(audience)) throw new TokenRefused("audience");
	if (!isAccessToken(claims)) throw new TokenRefused("claims");
	return claims;
}

const text = (value: unknown) => typeof value === "string";
const texts = (value: unknown) => value === undefined || (Array.isArray(value) && value.every(text));

/** The members the system decides by have the types it relies on; the rest it only passes on. */
function isAccessToken(claims: Record<string, unknown>): claims is AccessTokenClaims {
	const { sub, jti, client_id, exp, iat, roles, permissions, products, tenant_id, tenant_slug } = claims;
	return (
		[sub, jti, client_id].every(text) &&
		Number.isInteger(exp) &&
		Number.isInteger(iat) &&
		[roles, permissions, products].every(texts) &&
		[tenant_id, tenant_slug].every((value) => value === undefined || text(value))
	);
}

function checkTimes({ exp, iat }: AccessTokenClaims, now: Date): void {
	const seconds = now.getTime() / 1_000;
	if (seconds >= exp + skewSeconds) throw new TokenRefused("expired");
	if (seconds < iat - skewSeconds) throw new TokenRefused("not_yet");
}
