import type { AccessTokenClaims } from "@lango/contracts";
import { ClientError, isRecord, textOf } from "../calls/client-error.ts";

/** What the client holds of a session. Times in milliseconds. */
export type Tokens = {
	accessToken: string;
	refreshToken: string | undefined;
	expiresAt: number;
	/** What the access token says, unchecked: the services check it. */
	claims: Partial<AccessTokenClaims>;
};

/** An answer of the token endpoint or a relative of it. */
export type TokenAnswer = { tokens: Tokens; exchange: Exchange | undefined };

/** The one-time token an outlet is chosen with (§5.15). */
export type Exchange = {
	token: string;
	tenantSlug: string | undefined;
	/** The outlets it is good for; undefined where the service does not say. */
	outletIds: readonly string[] | undefined;
};

/** Access tokens live six hours (§8) where an answer does not say how long. */
const lifetimeSeconds = 21_600;

/** Reads an answer of /token, /auth/refresh or /auth/select-outlet; `before` is what a missing refresh token stays. */
export function readTokens(
	answer: Record<string, unknown>,
	{ now, before }: { now: number; before?: string | undefined },
): TokenAnswer {
	const accessToken = textOf(answer["access_token"]);
	if (accessToken === undefined) throw new ClientError("unreadable", { status: 200 });
	const seconds = Number(answer["expires_in"] ?? lifetimeSeconds);
	const claims = claimsOf(accessToken);
	const mustChoose = answer["requiresOutletSelection"] === true;
	return {
		tokens: {
			accessToken,
			refreshToken: textOf(answer["refresh_token"]) ?? before,
			expiresAt: now + seconds * 1_000,
			claims,
		},
		exchange: mustChoose ? readExchange(answer, claims.tenant_slug) : undefined,
	};
}

/** Reads the one-time token from an answer, or from what the tab kept of one; undefined when there is none. */
export function readExchange(
	answer: Record<string, unknown>,
	tenantSlug: string | undefined,
): Exchange | undefined {
	const token = textOf(answer["ssoExchangeToken"]);
	const ids = answer["outletIds"];
	const outletIds = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : undefined;
	return token === undefined ? undefined : { token, tenantSlug, outletIds };
}

/** The claims of a token, unchecked; none when it cannot be read, since a token may be opaque. */
function claimsOf(token: string): Partial<AccessTokenClaims> {
	try {
		const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
		const bytes = Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
		const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
		return isRecord(claims) ? (claims as Partial<AccessTokenClaims>) : {};
	} catch {
		return {};
	}
}
