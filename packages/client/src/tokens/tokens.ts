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
export type TokenAnswer = { tokens: Tokens; exchangeToken: string | undefined };

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
	const exchangeToken = textOf(answer["ssoExchangeToken"]);
	return {
		tokens: {
			accessToken,
			refreshToken: textOf(answer["refresh_token"]) ?? before,
			expiresAt: now + seconds * 1_000,
			claims: claimsOf(accessToken),
		},
		exchangeToken: answer["requiresOutletSelection"] === true ? exchangeToken : undefined,
	};
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
