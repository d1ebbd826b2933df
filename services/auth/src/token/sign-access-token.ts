import type { Logger } from "@lango/chassis";
import { type SigningKey, signJwt } from "@lango/tokens";
import type { AccessClaims } from "./claims.ts";

/** Proxies limit headers to about 8 KB, and a token must fit. */
export const tokenBytesMax = 8_192;
const tokenBytesWarn = 4_096;

/**
 * Signs an access token. If it is too large for a header, the permissions are replaced by
 * `permissions_ref`, the address that returns them. If it is still too large, the features and limits of
 * the plan are omitted, too, and services fetch them from the subscription service.
 */
export function signAccessToken(key: SigningKey, claims: AccessClaims, log: Pick<Logger, "warn">): string {
	const { permissions: _permissions, ...withoutPermissions } = claims;
	const shorter = { ...withoutPermissions, permissions_ref: `${claims.iss}/api/v1/auth/me` };
	const { sub_features: _features, sub_limits: _limits, ...shortest } = shorter;
	for (const candidate of [claims, shorter, shortest]) {
		const token = signJwt(key, "at+jwt", candidate);
		const bytes = Buffer.byteLength(token);
		if (bytes > tokenBytesWarn)
			log.warn({ bytes, user_id: claims.sub, tenant_id: claims.tenant_id }, "access token is large");
		if (bytes <= tokenBytesMax) return token;
	}
	throw new Error("an access token without permissions and plan is still too large");
}
