import { sign, verify } from "node:crypto";
import { fromDer, toDer } from "./ecdsa-signature.ts";
import { type Algorithm, algorithms, type SigningKey, type VerifyingKey } from "./signing-key.ts";

/** The protected header of a token. */
export type JwtHeader = { alg: Algorithm; kid: string; typ: string };

/** A token was refused. `reason` is for logs only: clients just learn that the token is invalid. */
export class TokenRefused extends Error {
	readonly reason: TokenRefusal;

	constructor(reason: TokenRefusal) {
		super(`token refused: ${reason}`);
		this.name = "TokenRefused";
		this.reason = reason;
	}
}

export type TokenRefusal =
	| "malformed"
	| "algorithm"
	| "type"
	| "key_unknown"
	| "signature"
	| "issuer"
	| "audience"
	| "expired"
	| "not_yet"
	| "claims"
	| "revoked";

/** Longer tokens are refused without parsing. The issuer never creates a token above 8 KB. */
const lengthMax = 16_384;

/**
 * Signs claims as a JWT (RFC 7519, JWS compact form). Synchronous: a signature takes well under a
 * millisecond, and in the thread pool it would wait behind password hashes.
 */
export function signJwt(key: SigningKey, typ: string, claims: object): string {
	const header = encode({ alg: key.algorithm, typ, kid: key.kid });
	const signed = `${header}.${encode(claims)}`;
	const made = sign("sha256", Buffer.from(signed), key.privateKey);
	const signature = key.algorithm === "ES256" ? fromDer(made) : made;
	return `${signed}.${signature.toString("base64url")}`;
}

/**
 * Parses the header, which is not trusted yet, to find the key that verifies the signature. Throws
 * TokenRefused.
 */
export function readHeader(token: string): JwtHeader {
	if (token.length > lengthMax) throw new TokenRefused("malformed");
	const [first, ...rest] = token.split(".");
	if (first === undefined || rest.length !== 2) throw new TokenRefused("malformed");
	const { alg, kid, typ, crit, b64 } = decode(first);
	if (crit !== undefined || b64 !== undefined || typeof kid !== "string" || typeof typ !== "string")
		throw new TokenRefused("malformed");
	if (!algorithms.includes(alg as Algorithm)) throw new TokenRefused("algorithm");
	return { alg: alg as Algorithm, kid, typ: typ.toLowerCase().replace(/^application\//, "") };
}

/**
 * Verifies the signature with the key and returns the claims. Throws TokenRefused, also if the header names
 * another algorithm than the key's.
 */
export function readSigned(token: string, key: VerifyingKey): Record<string, unknown> {
	const cut = token.lastIndexOf(".");
	const signed = Buffer.from(token.slice(0, cut));
	const given = Buffer.from(token.slice(cut + 1), "base64url");
	const { alg } = readHeader(token);
	if (alg !== key.algorithm) throw new TokenRefused("algorithm");
	const signature = alg === "ES256" ? toDer(given) : given;
	if (signature === undefined || !verify("sha256", signed, key.publicKey, signature))
		throw new TokenRefused("signature");
	return decode(token.slice(token.indexOf(".") + 1, cut));
}

function encode(value: object): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
		if (typeof value === "object" && value !== null && !Array.isArray(value))
			return value as Record<string, unknown>;
	} catch {
		// A part that is not base64url or not JSON is refused below.
	}
	throw new TokenRefused("malformed");
}
