import { signJwt } from "@lango/tokens";
import type { Dependencies } from "../dependencies.ts";
import type { AccessLimits } from "../sessions/exchange-token.store.ts";
import { chooseOutlet } from "../sessions/session.store.ts";
import { accessClaims, idClaims, type TokenSession } from "./claims.ts";
import { mintExchangeToken } from "./exchange-token.ts";
import { signAccessToken } from "./sign-access-token.ts";
import { exchangeableIds, type Standing, workplaceOf } from "./standing.ts";

/** The answer of the token endpoint (RFC 6749 §5.1, spec §4.1). */
export type TokenAnswer = {
	access_token: string;
	token_type: "Bearer";
	expires_in: number;
	scope: string;
	id_token?: string;
	refresh_token?: string;
	requiresOutletSelection?: true;
	ssoExchangeToken?: string;
	/** The outlets to choose among. */
	outletIds?: string[];
};

export type IssueTokens = {
	standing: Standing;
	session: TokenSession;
	nonce?: string | undefined;
	/** Whether an ID token comes along, if the scope has `openid`. */
	isIdTokenWanted: boolean;
	refreshToken?: string | undefined;
	/** Of an exchange that began with an access token: the new one expires no later, and a further exchange has the same limits. */
	limits?: AccessLimits | undefined;
};

/**
 * Makes the tokens of a session as things stand now. A person with several outlets gets empty outlet claims and a
 * one-time token to choose with; a single outlet is taken by itself and kept (spec §5.15).
 */
export async function issueTokens(
	dependencies: Dependencies,
	{ standing, session, nonce, isIdTokenWanted, refreshToken, limits }: IssueTokens,
): Promise<TokenAnswer> {
	const { db, keyRing, subscriptions, settings, log, now } = dependencies;
	const { outlet, mustChoose } = workplaceOf(standing, session.outletId);
	if (outlet !== undefined && outlet.id !== session.outletId)
		await chooseOutlet(db, { sessionId: session.id, outletId: outlet.id });
	const subscription = await subscriptions.find(standing.tenant);
	const subject = { standing, outlet, subscription, session };
	const issuing = { issuer: settings.authUrl, audience: settings.audience, now: now() };
	const claims = accessClaims(subject, { ...issuing, notAfter: limits?.expiresAt });
	const accessToken = signAccessToken(keyRing.signing("ES256"), claims, log);
	const hasIdToken = isIdTokenWanted && session.scope.split(" ").includes("openid");
	return {
		access_token: accessToken,
		token_type: "Bearer",
		expires_in: claims.exp - claims.iat,
		scope: session.scope,
		...(hasIdToken && {
			id_token: signJwt(
				keyRing.signing(session.idTokenAlgorithm),
				"JWT",
				idClaims(subject, { ...issuing, nonce, accessToken }),
			),
		}),
		...(refreshToken !== undefined && { refresh_token: refreshToken }),
		...(mustChoose && {
			requiresOutletSelection: true,
			ssoExchangeToken: await mintExchangeToken(dependencies, {
				sessionId: session.id,
				userId: standing.user.id,
				tenantId: standing.tenant.id,
				limits,
			}),
			outletIds: exchangeableIds(standing),
		}),
	};
}
