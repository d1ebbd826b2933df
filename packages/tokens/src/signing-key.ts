import {
	createPrivateKey,
	createPublicKey,
	generateKeyPairSync,
	type JsonWebKey,
	type KeyObject,
} from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";

/** The signature algorithms in use: ES256 for access tokens, RS256 for id tokens (OpenID Connect Core §15.1). */
export const algorithms = ["ES256", "RS256"] as const;
export type Algorithm = (typeof algorithms)[number];

/** A key that can sign. Its private half never leaves the process that holds it, but for storage under encryption. */
export type SigningKey = { kid: string; algorithm: Algorithm; privateKey: KeyObject };

/** A public key as a key set publishes it (RFC 7517). */
export type PublicJwk = JWK & { kid: string; alg: Algorithm; use: "sig" };

/** A key that can check. */
export type VerifyingKey = { kid: string; algorithm: Algorithm; publicKey: KeyObject };

/** Makes a new key; its `kid` is the thumbprint of its public half (RFC 7638). RSA keys have 2048 bits. */
export async function generateSigningKey(algorithm: Algorithm): Promise<SigningKey> {
	const { privateKey } =
		algorithm === "ES256"
			? generateKeyPairSync("ec", { namedCurve: "P-256" })
			: generateKeyPairSync("rsa", { modulusLength: 2048 });
	return { kid: await thumbprint(privateKey), algorithm, privateKey };
}

/** The private half as text, to be stored encrypted. */
export function exportSigningKey({ privateKey }: SigningKey): string {
	return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Reads back what `exportSigningKey` wrote. Throws when the text is no private key. */
export function importSigningKey(kid: string, algorithm: Algorithm, pem: string): SigningKey {
	return { kid, algorithm, privateKey: createPrivateKey(pem) };
}

/** The public half, with no private member. */
export function publicJwk({ kid, algorithm, privateKey }: SigningKey): PublicJwk {
	const { kty, crv, x, y, n, e } = createPublicKey(privateKey).export({ format: "jwk" });
	const members = algorithm === "ES256" ? { kty, crv, x, y } : { kty, n, e };
	return { ...members, kid, alg: algorithm, use: "sig" } as PublicJwk;
}

/** Reads one member of a key set; undefined when it is none that this system signs with. */
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
