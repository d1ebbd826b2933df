import type { Logger } from "@lango/chassis";
import { type SigningKey, signJwt } from "@lango/tokens";
import type { AccessClaims } from "./claims.ts";

/** Headers of proxies hold about 8 KB; a token has to fit into one. */
export const tokenBytesMax = 8_192;
const tokenBytesWarn = 4_096;

/**
 * Signs an access token. One that would be too large for a header leaves its permissions out and names, in
 * `permissions_ref`, the address that answers them; one that is too large even so leaves out what the plan lists, too,
 * and services ask the subscription service instead.
 */
export function signAccessToken(key: SigningKey, claims: AccessClaims, log: Pick<Logger, "warn">): string {
	const { permissions: _permissions, ...withoutPermissions } = claims;
	const shorter = { ...withoutPermissions, permissions_ref: `${claims.iss}/api/v1/auth/me` };
	const { sub_features: _features, sub_limits: _limits, ...shortest } = shorter;
	for (const candidate of [claims, shorter, shortest]) {
		const token = signJwt(key, "at+jwt", candidate);
		const bytes = Buffer.byteLength(token);
		if (bytes > tokenBytesWarn)
			log.warn({ bytes, user_id: claims.sub, tenant_id: claims.tenant_id }, "a large access token");
		if (bytes <= tokenBytesMax) return token;
	}
	throw new Error("an access token without permissions and plan is still too large");
}
