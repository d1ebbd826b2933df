import { createHmac, hkdfSync, randomBytes } from "node:crypto";

/**
 * Makes first refresh tokens of sessions as the sign-on service does (its README says how), so that many sessions can
 * be recorded at once that are then really used. Should their form change, the first refresh of the bench is refused.
 */
export function refreshTokensOf(keyId: string, key: Buffer) {
	const own = Buffer.from(hkdfSync("sha256", key, "", "lango refresh tokens", 32));
	return (sessionId: string): { refreshToken: string; salt: string } => {
		const salt = randomBytes(16).toString("base64url");
		const mac = createHmac("sha256", own).update(`${sessionId}.0.${salt}`).digest("base64url");
		return { refreshToken: `${sessionId}.0.${keyId}.${salt}${mac}`, salt };
	};
}
