import type { AccessTokenClaims } from "@lango/contracts";
import { ClientError, recordOf, textOf } from "../calls/client-error.ts";

/** The tokens of a session. Times in milliseconds since the epoch. */
export type Tokens = {
	accessToken: string;
	refreshToken: string | undefined;
	expiresAt: number;
	/** The claims of the access token, not verified. The services verify them. */
	claims: Partial<AccessTokenClaims>;
};

/** The response of an endpoint that issues tokens. */
export type TokenResponse = { tokens: Tokens; exchange: Exchange | undefined };

/** The one-time token for the selection of an outlet (§5.15). */
export type Exchange = {
	token: string;
	tenantSlug: string | undefined;
	/** The outlets that may be selected; undefined if the response does not list them. */
	outletIds: readonly string[] | undefined;
};

/** The lifetime of an access token without `expires_in`: six hours (§8). */
const lifetimeSeconds = 21_600;

/**
 * Reads a response of /token, /auth/refresh or /auth/select-outlet. Without a new refresh token, the
 * refresh token `before` stays in use. Throws ClientError `unreadable`.
 */
export function readTokens(
	response: Record<string, unknown>,
	{ now, before }: { now: number; before?: string | undefined },
): TokenResponse {
	const accessToken = textOf(response["access_token"]);
	if (accessToken === undefined) throw new ClientError("unreadable", { status: 200 });
	const seconds = Number(response["expires_in"] ?? lifetimeSeconds);
	const claims = claimsOf(accessToken);
	const needsOutlet = response["requiresOutletSelection"] === true;
	return {
		tokens: {
			accessToken,
			refreshToken: textOf(response["refresh_token"]) ?? before,
			expiresAt: now + seconds * 1_000,
			claims,
		},
		exchange: needsOutlet ? readExchange(response, claims.tenant_slug) : undefined,
	};
}

/** Reads the one-time token from a response or from the storage of the tab, or undefined. */
export function readExchange(
	response: Record<string, unknown>,
	tenantSlug: string | undefined,
): Exchange | undefined {
	const token = textOf(response["ssoExchangeToken"]);
	const ids = response["outletIds"];
	const outletIds = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : undefined;
	return token === undefined ? undefined : { token, tenantSlug, outletIds };
}

/** The claims of a token, not verified; empty if the token is opaque. */
function claimsOf(token: string): Partial<AccessTokenClaims> {
	try {
		const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
		const bytes = Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
		return recordOf(JSON.parse(new TextDecoder().decode(bytes)));
	} catch {
		return {};
	}
}
