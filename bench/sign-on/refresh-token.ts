import { createHmac, hkdfSync, randomBytes } from "node:crypto";

/**
 * Creates the first refresh tokens of sessions like the sign-on service (see its README), so that many usable
 * sessions can be recorded by SQL. If the format changes, the first refresh of the bench is refused.
 */
export function refreshTokensOf(keyId: string, key: Buffer) {
	const own = Buffer.from(hkdfSync("sha256", key, "", "lango refresh tokens", 32));
	return (tenantId: string, sessionId: string): { refreshToken: string; salt: string } => {
		const salt = randomBytes(16).toString("base64url");
		const macOf = (text: string) => createHmac("sha256", own).update(text).digest();
		const mask = macOf(`tenant ${sessionId}.${salt}`);
		const tenant = Buffer.from(tenantId.replaceAll("-", ""), "hex");
		const parts = [salt, Buffer.from(tenant.map((byte, at) => byte ^ (mask[at] ?? 0))).toString("base64url")];
		const mac = macOf(`${sessionId}.0.${salt}.${tenantId}`).toString("base64url");
		return { refreshToken: `${sessionId}.0.${keyId}.${parts.join("")}${mac}`, salt };
	};
}
