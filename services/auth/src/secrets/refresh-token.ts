import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys, mintSecret } from "@lango/tokens";
import { maskTenant, unmaskTenant } from "./tenant-mask.ts";

export const refreshIdleSeconds = 30 * 86_400;
export const refreshLifeSeconds = 90 * 86_400;
/** The grace period in which the previous token is valid, for parallel tabs and lost responses. */
export const refreshGraceSeconds = 20;

/** A session, and the tenant that it is stored with. */
export type SessionKey = { tenantId: string; sessionId: string };

/** A parsed refresh token: its session, its generation, and the proof that this server created it. */
export type RefreshToken = SessionKey & { generation: number; keyId: string; salt: string };

const form =
	/^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(0|[1-9]\d{0,8})\.([\w-]{1,32})\.([\w-]{22})([\w-]{22})([\w-]{43})$/;

/** Its successor. */
export function successorOf(token: RefreshToken): RefreshToken {
	return { ...token, generation: token.generation + 1 };
}

/**
 * Creates and parses refresh tokens. Their secret is derived from tenant, session, generation and salt; only
 * the hash of the live one is stored.
 */
export type RefreshTokens = {
	/** The first token of a session. */
	first(session: SessionKey): RefreshToken;
	/** Its text; the same each time. Throws an Error if its key is not configured. */
	write(token: RefreshToken): string;
	/** Undefined if this server did not create the token. */
	read(text: string): RefreshToken | undefined;
};

export function createRefreshTokens(encryption: KeyEncryptionKeys): RefreshTokens {
	const keys = new Map(encryption.map((one) => [one.id, deriveKey(one, "lango refresh tokens")]));
	const newest = encryption[0]?.id;
	if (newest === undefined) throw new Error("no key for refresh tokens is configured");

	const write = ({ tenantId, sessionId, generation, keyId, salt }: RefreshToken): string => {
		const key = keys.get(keyId);
		if (key === undefined) throw new Error(`the key "${keyId}" is not configured`);
		const masked = maskTenant(key, `${sessionId}.${salt}`, tenantId);
		const mac = createHmac("sha256", key)
			.update(`${sessionId}.${generation}.${salt}.${tenantId}`)
			.digest("base64url");
		return `${sessionId}.${generation}.${keyId}.${salt}${masked}${mac}`;
	};
	return {
		first: (session) => ({ ...session, generation: 0, keyId: newest, salt: mintSecret(16) }),
		write,
		read(text) {
			const [, sessionId = "", generation, keyId = "", salt = "", masked] = form.exec(text) ?? [];
			const key = keys.get(keyId);
			if (masked === undefined || key === undefined) return undefined;
			const tenantId = unmaskTenant(key, `${sessionId}.${salt}`, masked);
			const token = { tenantId, sessionId, generation: Number(generation), keyId, salt };
			return timingSafeEqual(Buffer.from(write(token)), Buffer.from(text)) ? token : undefined;
		},
	};
}
