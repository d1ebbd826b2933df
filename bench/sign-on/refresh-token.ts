import { createHmac, hkdfSync, randomBytes } from "node:crypto";

/**
 * Creates the first refresh tokens of sessions like the sign-on service (see its README), so that many usable
 * sessions can be recorded by SQL. If the format changes, the first refresh of the bench is refused.
 */
export function refreshTokensOf(keyId: string, key: Buffer) {
	const own = Buffer.from(hkdfSync("sha256", key, "", "lango refresh tokens", 32));
	return (sessionId: string): { refreshToken: string; salt: string } => {
		const salt = randomBytes(16).toString("base64url");
		const mac = createHmac("sha256", own).update(`${sessionId}.0.${salt}`).digest("base64url");
		return { refreshToken: `${sessionId}.0.${keyId}.${salt}${mac}`, salt };
	};
}
