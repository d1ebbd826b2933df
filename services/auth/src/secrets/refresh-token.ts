import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey, type KeyEncryptionKeys, mintSecret } from "@lango/tokens";

export const refreshIdleSeconds = 30 * 86_400;
export const refreshLifeSeconds = 90 * 86_400;
/** The token before the live one is good for this long: two tabs at once, or an answer that was lost. */
export const refreshGraceSeconds = 20;

/** A refresh token taken apart: whose, how often rotated, and that this server made it. */
export type RefreshToken = { sessionId: string; generation: number; keyId: string; salt: string };

const form =
	/^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(0|[1-9]\d{0,8})\.([\w-]{1,32})\.([\w-]{22})([\w-]{43})$/;

/** The one that takes its place when it is used. */
export function successorOf(token: RefreshToken): RefreshToken {
	return { ...token, generation: token.generation + 1 };
}

/** Makes and reads refresh tokens. Their secret follows from session, generation and salt, so that none but the live one's hash is stored. */
export type RefreshTokens = {
	/** The first token of a session. */
	first(sessionId: string): RefreshToken;
	/** Its text; the same each time. Throws an Error when the server's key it names is not configured. */
	write(token: RefreshToken): string;
	/** Undefined when the text is no token this server made. */
	read(text: string): RefreshToken | undefined;
};

export function createRefreshTokens(encryption: KeyEncryptionKeys): RefreshTokens {
	const keys = new Map(encryption.map((one) => [one.id, deriveKey(one, "lango refresh tokens")]));
	const newest = encryption[0]?.id;
	if (newest === undefined) throw new Error("there is no key to make refresh tokens with");

	const write = ({ sessionId, generation, keyId, salt }: RefreshToken): string => {
		const key = keys.get(keyId);
		if (key === undefined) throw new Error(`the key "${keyId}" is not configured`);
		const mac = createHmac("sha256", key).update(`${sessionId}.${generation}.${salt}`).digest("base64url");
		return `${sessionId}.${generation}.${keyId}.${salt}${mac}`;
	};
	return {
		first: (sessionId) => ({ sessionId, generation: 0, keyId: newest, salt: mintSecret(16) }),
		write,
		read(text) {
			const [, sessionId, generation, keyId, salt] = form.exec(text) ?? [];
			if (sessionId === undefined || generation === undefined || keyId === undefined || salt === undefined)
				return undefined;
			const token = { sessionId, generation: Number(generation), keyId, salt };
			if (!keys.has(keyId)) return undefined;
			return timingSafeEqual(Buffer.from(write(token)), Buffer.from(text)) ? token : undefined;
		},
	};
}
