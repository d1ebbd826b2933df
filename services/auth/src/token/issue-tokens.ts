import { signJwt } from "@lango/tokens";
import { mayRefresh, scopeNow, scopesIn } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { exchangeableIds, type Standing, type Workplace, workplaceOf } from "../memberships/standing.ts";
import { chooseOutlet } from "../sessions/grant/session.store.ts";
import { accessClaims, idClaims, opensApi, type TokenSession } from "./claims.ts";
import type { AccessLimits } from "./exchange-token.store.ts";
import { mintExchangeToken } from "./exchange-token.ts";
import { signAccessToken } from "./sign-access-token.ts";

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

/** The dependencies of `issueTokens`, for the operations that call it. */
export type IssuingNeeds = Pick<
	Dependencies,
	"db" | "keyRing" | "log" | "now" | "settings" | "subscriptions"
>;

/**
 * Makes the tokens of a session from the current state of person, tenant and client. A person with several outlets gets empty
 * outlet claims and a one-time token to choose with; a single outlet is taken and kept (spec §5.15). A session without `lango.api`
 * has no outlet.
 */
export async function issueTokens(
	dependencies: IssuingNeeds,
	{ standing, session, nonce, isIdTokenWanted, refreshToken, limits }: IssueTokens,
): Promise<TokenAnswer> {
	const { keyRing, subscriptions, settings, log, now } = dependencies;
	const { client } = session;
	const granted = { ...session, scope: scopeNow(client, session.scope) };
	const isApi = opensApi(granted);
	const { outlet, mustChoose } = isApi
		? await keepWorkplace(dependencies, standing, session)
		: { outlet: undefined, mustChoose: false };
	const subscription = isApi ? await subscriptions.find(standing.tenant) : undefined;
	const subject = { standing, outlet, subscription, session: granted };
	const issuing = { issuer: settings.authUrl, audience: settings.audience, now: now() };
	const claims = accessClaims(subject, { ...issuing, notAfter: limits?.expiresAt });
	const accessToken = signAccessToken(keyRing.signing("ES256"), claims, log);
	const hasIdToken = isIdTokenWanted && scopesIn(granted.scope).includes("openid");
	return {
		access_token: accessToken,
		token_type: "Bearer",
		expires_in: claims.exp - claims.iat,
		scope: granted.scope,
		...(hasIdToken && {
			id_token: signJwt(
				keyRing.signing(client.idTokenAlgorithm),
				"JWT",
				idClaims(subject, { ...issuing, nonce, accessToken }),
			),
		}),
		...(refreshToken !== undefined && mayRefresh(client) && { refresh_token: refreshToken }),
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

/** The person's workplace; an outlet that needed no choice is kept in the session. */
async function keepWorkplace(
	{ db }: Pick<Dependencies, "db">,
	standing: Standing,
	{ id, outletId }: TokenSession,
): Promise<Workplace> {
	const workplace = workplaceOf(standing, outletId);
	const { outlet } = workplace;
	if (outlet !== undefined && outlet.id !== outletId)
		await chooseOutlet(db, { sessionId: id, outletId: outlet.id });
	return workplace;
}
