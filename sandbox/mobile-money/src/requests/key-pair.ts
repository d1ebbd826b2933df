import "reflect-metadata"; // x509 reads its decorators through it.
import { constants, privateDecrypt } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { Sandbox } from "../sandbox.ts";

/** The gateway's key and the certificate that clients encrypt passwords with, PEM. */
export type KeyPair = { key: string; certificate: string };

const algorithm = {
	name: "RSASSA-PKCS1-v1_5",
	hash: "SHA-256",
	modulusLength: 2048,
	publicExponent: new Uint8Array([1, 0, 1]),
};
const validMs = 10 * 365 * 86_400_000;
const row = "gateway";

/**
 * The key pair. The first time it is asked for it is made; it stays the same from then on, also after a
 * reset.
 */
export async function keyPairOf({ tables: { keys }, clock }: Sandbox): Promise<KeyPair> {
	return keys.get(row) ?? keys.put(row, await makeKeyPair(clock.now()));
}

/** Sets the key pair, unless one is set already. */
export function setKeyPair({ tables: { keys } }: Sandbox, pair: KeyPair): void {
	if (keys.get(row) === undefined) keys.put(row, pair);
}

/** Keeps the key pair while everything else is removed. */
export function keepKeyPair({ tables: { keys } }: Sandbox, remove: () => void): void {
	const pair = keys.get(row);
	remove();
	if (pair !== undefined) keys.put(row, pair);
}

/** The password in a `SecurityCredential` (RSA, PKCS#1 v1.5, base64); a wrong one gives something else. */
export async function decryptCredential(sandbox: Sandbox, credential: string): Promise<string> {
	const { key } = await keyPairOf(sandbox);
	try {
		const encrypted = Buffer.from(credential, "base64");
		return privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, encrypted).toString("utf8");
	} catch {
		return ""; // Its length is not that of the key.
	}
}

/** Makes a key and its certificate, which is valid for ten years. Slow: tests share one. */
export async function makeKeyPair(now: Date): Promise<KeyPair> {
	x509.cryptoProvider.set(crypto);
	const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
	const certificate = await x509.X509CertificateGenerator.createSelfSigned({
		name: "CN=mobile-money-sandbox",
		notBefore: new Date(now.getTime() - 86_400_000),
		notAfter: new Date(now.getTime() + validMs),
		signingAlgorithm: algorithm,
		keys,
	});
	const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
	return { key: x509.PemConverter.encode(key, "PRIVATE KEY"), certificate: certificate.toString("pem") };
}
