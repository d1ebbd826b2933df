import { randomHex } from "../calls/random-hex.ts";

/** Encodes bytes as base64url without padding (RFC 4648 §5). */
function base64url(bytes: Uint8Array): string {
	return btoa(String.fromCharCode(...bytes))
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replaceAll("=", "");
}

/** Creates a PKCE verifier: 32 random bytes, base64url (§5.1). */
export const createVerifier = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** The PKCE challenge: SHA-256 of the verifier, base64url (§5.1, RFC 7636 §4.2). */
export async function challengeOf(verifier: string): Promise<string> {
	return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/** Creates a state: 16 random bytes as hex (§5.1). */
export const createState = (): string => randomHex(16);
