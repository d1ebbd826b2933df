import { randomHex } from "../random-hex.ts";

/** Bytes as base64url without padding (RFC 4648 §5). */
function base64url(bytes: Uint8Array): string {
	return btoa(String.fromCharCode(...bytes))
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replaceAll("=", "");
}

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** 32 random bytes, base64url (§5.1). */
export const createVerifier = (): string => base64url(random(32));

/** SHA-256 of the verifier, base64url (§5.1, RFC 7636 §4.2). */
export async function challengeOf(verifier: string): Promise<string> {
	return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/** 16 random bytes as hex (§5.1). */
export const createState = (): string => randomHex(16);
