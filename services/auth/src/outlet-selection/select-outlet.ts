import type { Database } from "@lango/postgres";
import { hashSecret } from "@lango/tokens";
import { proofMissing } from "../clients/authenticate-client.ts";
import type { Client } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { isHqUser, mayHaveTokens, outletsOf } from "../memberships/membership-state.ts";
import { findSession, type LiveSession } from "../sessions/grant/session.store.ts";
import {
	countWrongOutlet,
	type ExchangeKey,
	type LockedExchange,
	lockExchangeToken,
	takeExchangeToken,
} from "../token/exchange-token.store.ts";
import { type IssuingNeeds, issueTokens, type TokenAnswer } from "../token/issue-tokens.ts";

/** The number of refused outlet ids after which an exchange token becomes invalid. */
const wrongOutletsMax = 5;

export type OutletSelection = {
	exchangeToken: string;
	outletId: string;
	/** The client that authenticated in the request; undefined if the request names none. */
	client: Client | undefined;
};

type Needs = IssuingNeeds & Pick<Dependencies, "clients" | "refreshTokens">;

/**
 * Binds a session to the selected outlet (spec §4.1, §5.15). An exchange that began at /token is answered
 * with the session's final tokens, the live refresh token among them. One that began with an access token
 * is answered with an access token only, for the same client, scope and audience, that expires no later. A
 * wrong outlet does not consume the exchange token until the fifth time. Throws `exchange_token_invalid`,
 * `outlet_forbidden`, and `invalid_client` if a confidential client does not authenticate.
 */
export async function selectOutlet(
	dependencies: Needs,
	{ exchangeToken, outletId, client }: OutletSelection,
): Promise<TokenAnswer> {
	const { db, now, clients, refreshTokens, tenantSecrets } = dependencies;
	const read = tenantSecrets.read(exchangeToken);
	if (read === undefined) throw failures.exchange_token_invalid();
	const key = { tenantId: read.tenantId, tokenHash: hashSecret(read.secret) };
	const choice = { key, outletId, client, now: now() };
	// A refusal is thrown after the transaction, because its count must be committed.
	const taken = await db.transaction((tx) => take(tx, choice));
	if (taken.outcome !== "taken") throw refusals[taken.outcome]();
	const { session, sessionId: id, limits } = taken;
	const issuedTo = await clients.find(session.clientId);
	if (issuedTo === undefined) throw failures.exchange_token_invalid();
	const { membershipState, refreshToken } = session;
	if (limits !== undefined) {
		const { scope, audience: resource } = limits;
		const narrowed = { ...session, client: issuedTo, id, outletId, scope, resource };
		return issueTokens(dependencies, { membershipState, session: narrowed, isIdTokenWanted: false, limits });
	}
	return issueTokens(dependencies, {
		membershipState,
		session: { ...session, client: issuedTo, id, outletId },
		isIdTokenWanted: true,
		refreshToken: refreshToken && refreshTokens.write(refreshToken),
	});
}

const refusals = {
	invalid: () => failures.exchange_token_invalid(),
	wrong_outlet: () => failures.outlet_forbidden(),
	unauthenticated: proofMissing,
};

type Choice = Omit<OutletSelection, "exchangeToken"> & { key: ExchangeKey; now: Date };
type Taken =
	| ({ outcome: "taken"; session: LiveSession } & LockedExchange)
	| { outcome: keyof typeof refusals };

/** Checks and consumes an exchange token under its lock: of parallel uses one succeeds. */
async function take(tx: Database, { key, outletId, client, now }: Choice): Promise<Taken> {
	const locked = await lockExchangeToken(tx, { ...key, now });
	const { tenantId } = key;
	const session = locked && (await findSession(tx, { tenantId, sessionId: locked.sessionId, now }));
	if (locked === undefined || session === undefined || !mayHaveTokens(session.membershipState))
		return { outcome: "invalid" };
	const { clientId, membershipState } = session;
	const isOfOther = [client?.clientId, locked.limits?.clientId].some(
		(one) => one !== undefined && one !== clientId,
	);
	if (isOfOther) return { outcome: "invalid" };
	if (!locked.isPublic && client === undefined) return { outcome: "unauthenticated" };
	if (isHqUser(membershipState) || !outletsOf(membershipState).some(({ id }) => id === outletId)) {
		await countWrongOutlet(tx, { ...key, max: wrongOutletsMax, now });
		return { outcome: "wrong_outlet" };
	}
	// The session may have been revoked after it was read.
	if (!(await takeExchangeToken(tx, { ...key, outletId, now }))) return { outcome: "invalid" };
	return { outcome: "taken", session, ...locked };
}
