import type { AccessTokenClaims } from "@lango/contracts";
import { proofMissing } from "../clients/authenticate-client.ts";
import type { Client } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { exchangeableIds } from "../memberships/membership-state.ts";
import { findSession, sessionOf } from "../sessions/grant/session.store.ts";
import { mintExchangeToken } from "../token/exchange-token.ts";

type Needs = Pick<Dependencies, "clients" | "db" | "now" | "settings" | "tenantSecrets">;

/**
 * Begins an exchange with an access token: its limits (client, scope, audience, expiry) are stored with the
 * exchange token and bind the answer. Throws `session_ended` if the token belongs to no live session, and
 * `invalid_client` if a confidential client does not authenticate.
 */
export async function beginOutletSwitch(
	dependencies: Needs,
	{ claims, client }: { claims: AccessTokenClaims | undefined; client: Client | undefined },
): Promise<{ ssoExchangeToken: string; outletIds: string[] }> {
	const { db, now, clients, settings } = dependencies;
	const named = claims && sessionOf(claims);
	const session = named && (await findSession(db, { ...named, now: now() }));
	if (claims === undefined || named === undefined || session === undefined) throw failures.session_ended();
	const { clientId, membershipState } = session;
	const { user, tenant } = membershipState;
	if (claims.client_id !== clientId || claims.sub !== user.id) throw failures.session_ended();
	const owner = await clients.find(clientId);
	if (owner === undefined) throw failures.session_ended();
	if (client === undefined ? !owner.isPublic : client.id !== owner.id) throw proofMissing();
	const limits = {
		clientId,
		scope: claims.scope ?? "",
		audience: typeof claims.aud === "string" ? claims.aud : settings.audience,
		expiresAt: new Date(claims.exp * 1_000),
	};
	const exchange = { sessionId: named.sessionId, userId: user.id, tenantId: tenant.id, limits };
	return {
		ssoExchangeToken: await mintExchangeToken(dependencies, exchange),
		outletIds: exchangeableIds(membershipState),
	};
}
