import { randomUUID } from "node:crypto";
import { hashSecret } from "@lango/tokens";
import type { Origin } from "../audit/origin.ts";
import { type Client, identityScopes } from "../clients/client.ts";
import { exchangeableIds, mayHaveTokens } from "../memberships/membership-state.ts";
import { refreshIdleSeconds, refreshLifeSeconds } from "../secrets/refresh-token.ts";
import {
	aloneFor,
	extendSession,
	findLastOutlet,
	type ResumedBrowser,
	type ResumedSession,
	resumeBrowser,
} from "../sessions/grant/resumed-session.store.ts";
import { recordSession } from "../sessions/grant/session.store.ts";
import { limitSessions } from "../sessions/logout/end-surplus-sessions.ts";
import { describeMe } from "../users/me.ts";
import { listMemberships } from "../users/user.store.ts";
import { type IssuingNeeds, issueTokens, type TokenAnswer } from "./issue-tokens.ts";

type Resuming = {
	cookie: string | undefined;
	client: Client;
	tenantSlug: string | undefined;
	/** The only session to continue: one that has ended does not come back as another one. */
	sessionId: string | undefined;
};

/**
 * Issues an access token of the session that this browser has with a first-party client. Without such a
 * session, a new one is opened. A refresh token is not issued, because the cookie takes its place. Returns
 * undefined if the person must sign in first, or has no access to the tenant.
 */
export async function resume(
	dependencies: IssuingNeeds,
	{ cookie, client, tenantSlug, sessionId }: Resuming,
	origin: Origin,
): Promise<ResumedAnswer | undefined> {
	if (cookie === undefined) return undefined;
	const { db } = dependencies;
	const { now } = origin;
	const browser = await resumeBrowser(db, { tokenHash: hashSecret(cookie), tenantSlug, now });
	if (browser === undefined || !mayHaveTokens(browser.membershipState)) return undefined;
	const { membershipState, authTime, amr } = browser;
	const userId = membershipState.user.id;
	const wanted = { browserSessionId: browser.id, clientId: client.id, tenantId: membershipState.tenant.id };
	const { session, isNew } = await aloneFor(db, wanted, async (tx) => {
		const found = await extendSession(tx, { ...wanted, sessionId, now, idleSeconds: refreshIdleSeconds });
		if (found !== undefined || sessionId !== undefined) return { session: found, isNew: false };
		return { session: await openSession(tx, { browser, client, now }), isNew: true };
	});
	if (session === undefined) return undefined;
	// After the commit: on a cluster rows of all tenants cannot be counted in a transaction that wrote some.
	if (isNew) await limitSessions(dependencies, { userId, now, correlationId: origin.requestId });
	const [tokens, memberships] = await Promise.all([
		issueTokens(dependencies, {
			membershipState,
			session: { ...session, client, authTime, amr, resource: null },
			isIdTokenWanted: false,
		}),
		sessionId === undefined ? listMemberships(db, userId) : undefined,
	]);
	if (memberships === undefined) return tokens;
	const { platformOwnerSlug } = dependencies.settings;
	const described = { membershipState, outletId: session.outletId };
	return { ...tokens, me: describeMe(described, { memberships, platformOwnerSlug }) };
}

/** `me`: for a page that is loaded, the answer of auth/me. */
type ResumedAnswer = TokenAnswer & { me?: ReturnType<typeof describeMe> };

type Opening = { browser: ResumedBrowser; client: Client; now: Date };

/**
 * Records a session without a refresh token, with all that the client may know of a person. It begins at the
 * outlet that they selected last on this browser, if it is still theirs.
 */
async function openSession(
	tx: Parameters<typeof recordSession>[0],
	{ browser, client, now }: Opening,
): Promise<ResumedSession> {
	const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
	const { user, tenant } = browser.membershipState;
	const id = randomUUID();
	const scopes = identityScopes.filter((one) => one !== "offline_access" && client.scopes.includes(one));
	const scope = scopes.join(" ");
	const last = await findLastOutlet(tx, { browserSessionId: browser.id, tenantId: tenant.id });
	const outletId = exchangeableIds(browser.membershipState).find((own) => own === last) ?? null;
	await recordSession(tx, {
		...{ id, scope, outletId, tenantId: tenant.id, userId: user.id, clientId: client.id, refresh: undefined },
		...{ browserSessionId: browser.id, authTime: browser.authTime, amr: browser.amr },
		idleExpiresAt: after(refreshIdleSeconds),
		expiresAt: after(refreshLifeSeconds),
	});
	return { id, scope, outletId, claims: null };
}
