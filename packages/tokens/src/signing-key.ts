import {
	createPrivateKey,
	createPublicKey,
	generateKeyPair,
	type JsonWebKey,
	type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK } from "jose";

/**
 * The supported signature algorithms: ES256 for access tokens, RS256 for ID tokens (OpenID Connect Core
 * §15.1).
 */
export const algorithms = ["ES256", "RS256"] as const;
export type Algorithm = (typeof algorithms)[number];

/** A key pair for signing. The private key leaves the process only encrypted, for storage. */
export type SigningKey = { kid: string; algorithm: Algorithm; privateKey: KeyObject };

/** A public key as published in a key set (RFC 7517). */
export type PublicJwk = JWK & { kid: string; alg: Algorithm; use: "sig" };

/** A public key for verification. */
export type VerifyingKey = { kid: string; algorithm: Algorithm; publicKey: KeyObject };

const generate = promisify(generateKeyPair);

/**
 * Generates a key. Its `kid` is the thumbprint of the public key (RFC 7638). RSA keys have 2048 bits. The
 * thread pool generates it, so that requests are served meanwhile.
 */
export async function generateSigningKey(algorithm: Algorithm): Promise<SigningKey> {
	const { privateKey } =
		algorithm === "ES256"
			? await generate("ec", { namedCurve: "P-256" })
			: await generate("rsa", { modulusLength: 2048 });
	return { kid: await thumbprint(privateKey), algorithm, privateKey };
}

/** Exports the private key as PEM, to be stored encrypted. */
export function exportSigningKey({ privateKey }: SigningKey): string {
	return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Imports the result of `exportSigningKey`. Throws an Error if the text is not a private key. */
export function importSigningKey(kid: string, algorithm: Algorithm, pem: string): SigningKey {
	return { kid, algorithm, privateKey: createPrivateKey(pem) };
}

/** Returns the public key as a JWK, without private members. */
export function publicJwk({ kid, algorithm, privateKey }: SigningKey): PublicJwk {
	const { kty, crv, x, y, n, e } = createPublicKey(privateKey).export({ format: "jwk" });
	const members = algorithm === "ES256" ? { kty, crv, x, y } : { kty, n, e };
	return { ...members, kid, alg: algorithm, use: "sig" } as PublicJwk;
}

/** Parses one member of a key set. Returns undefined if its type, algorithm or use is not supported. */
export function readPublicJwk(jwk: JWK): VerifyingKey | undefined {
	const algorithm = algorithmOf(jwk);
	if (algorithm === undefined || jwk.kid === undefined || (jwk.use !== undefined && jwk.use !== "sig"))
		return undefined;
	try {
		return { kid: jwk.kid, algorithm, publicKey: createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }) };
	} catch {
		return undefined; // A malformed member must not take the rest of the set with it.
	}
}

function algorithmOf({ kty, crv, alg }: JWK): Algorithm | undefined {
	if (kty === "EC" && crv === "P-256" && (alg ?? "ES256") === "ES256") return "ES256";
	if (kty === "RSA" && (alg ?? "RS256") === "RS256") return "RS256";
	return undefined;
}

async function thumbprint(privateKey: KeyObject): Promise<string> {
	return calculateJwkThumbprint(createPublicKey(privateKey).export({ format: "jwk" }) as JWK);
}
