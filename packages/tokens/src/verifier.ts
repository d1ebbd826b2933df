import { hash } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";
import { LRUCache } from "lru-cache";
import { readHeader, readSigned, TokenRefused } from "./jwt.ts";
import type { KeySet } from "./key-set.ts";
import { rememberLately } from "./lately-seen.ts";
import type { VerifyingKey } from "./signing-key.ts";

/** Clocks may differ by this much, either way (RFC 7519 §4.1.4). */
export const skewSeconds = 60;

export type VerifierOptions = {
	issuer: string;
	/** The token's `aud` must name one of these; with undefined any will do, which is for the issuer alone, asked about its own tokens. */
	audiences: readonly string[] | undefined;
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
	/**
	 * The claims of a token verified before, without waiting; undefined when it is not known, or its key not at hand: then
	 * `verify` says. Throws TokenRefused when it expired or was revoked meanwhile.
	 */
	peek(token: string): AccessTokenClaims | undefined;
	/** Forgets every token verified so far. */
	clear(): void;
};

/**
 * Checks access tokens (RFC 9068): type, algorithm, signature, issuer, audience, expiry, revocation. A token's
 * signature is checked once; afterwards it is known by its SHA-256, and its key, expiry and revocation are looked at each time.
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
	const lately = rememberLately<Verified>(Math.min(cacheMax, latelyMax));

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
		const late = lately.get(token);
		if (late !== undefined) return late;
		const known = seen.get(digestOf(token));
		if (known !== undefined) lately.put(token, known);
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
		clear() {
			seen.clear();
			lately.clear();
		},
	};
}

/** So many of the tokens asked for last are recognised without their SHA-256. */
const latelyMax = 500;
const digestOf = (token: string) => hash("sha256", token, "base64url");

/** A token whose signature was checked, and the key it was checked with: it is good as long as that key is. */
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

/** The members the system decides by have the types it relies on; the rest it only passes on. */
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
