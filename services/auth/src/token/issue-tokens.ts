import { signJwt } from "@lango/tokens";
import { mayRefresh, scopeNow, scopesIn } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import {
	exchangeableIds,
	type MembershipState,
	type Workplace,
	workplaceOf,
} from "../memberships/membership-state.ts";
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
	/** The outlets that can be selected. */
	outletIds?: string[];
};

export type IssueTokens = {
	membershipState: MembershipState;
	session: TokenSession;
	nonce?: string | undefined;
	/** Whether an ID token is included if the scope has `openid`. */
	isIdTokenWanted: boolean;
	refreshToken?: string | undefined;
	/**
	 * The limits of an exchange that began with an access token: the new token expires no later, and a
	 * further exchange has the same limits.
	 */
	limits?: AccessLimits | undefined;
};

/** The dependencies of `issueTokens`, for the operations that call it. */
export type IssuingNeeds = Pick<
	Dependencies,
	"db" | "keyRing" | "log" | "now" | "settings" | "subscriptions" | "tenantSecrets"
>;

/**
 * Issues the tokens of a session from the current state of user, tenant and client. A user with several
 * outlets gets empty outlet claims and a one-time token for the selection; a single outlet is selected and
 * stored (spec §5.15). A session without `lango.api` has no outlet.
 */
export async function issueTokens(
	dependencies: IssuingNeeds,
	{ membershipState, session, nonce, isIdTokenWanted, refreshToken, limits }: IssueTokens,
): Promise<TokenAnswer> {
	const { keyRing, subscriptions, settings, log, now } = dependencies;
	const { client } = session;
	const granted = { ...session, scope: scopeNow(client, session.scope) };
	const isApi = opensApi(granted);
	const { outlet, mustChoose } = isApi
		? await keepWorkplace(dependencies, membershipState, session)
		: { outlet: undefined, mustChoose: false };
	const subscription = isApi ? await subscriptions.find(membershipState.tenant) : undefined;
	const subject = { membershipState, outlet, subscription, session: granted };
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
				userId: membershipState.user.id,
				tenantId: membershipState.tenant.id,
				limits,
			}),
			outletIds: exchangeableIds(membershipState),
		}),
	};
}

/** The user's workplace; a single outlet is stored in the session. */
async function keepWorkplace(
	{ db }: Pick<Dependencies, "db">,
	membershipState: MembershipState,
	{ id, outletId }: TokenSession,
): Promise<Workplace> {
	const workplace = workplaceOf(membershipState, outletId);
	const { outlet } = workplace;
	if (outlet !== undefined && outlet.id !== outletId)
		await chooseOutlet(db, { tenantId: membershipState.tenant.id, sessionId: id, outletId: outlet.id });
	return workplace;
}
