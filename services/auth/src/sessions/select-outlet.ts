import { hashSecret } from "@lango/tokens";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { issueTokens, type TokenAnswer } from "../token/issue-tokens.ts";
import { isHqUser, mayGoOn, outletsOf } from "../token/standing.ts";
import { chooseOutlet, findSession, takeOneTimeToken } from "./session.store.ts";

/**
 * Binds a session to the outlet the person chose and answers its final tokens, the refresh token being the live one
 * (spec §4.1, §5.15). Throws `exchange_token_invalid`, and `outlet_forbidden` when the outlet is not theirs; the
 * exchange token is spent either way.
 */
export async function selectOutlet(
	dependencies: Dependencies,
	{ exchangeToken, outletId }: { exchangeToken: string; outletId: string },
): Promise<TokenAnswer> {
	const { db, now, refreshTokens } = dependencies;
	const taken = await takeOneTimeToken(db, {
		tokenHash: hashSecret(exchangeToken),
		kind: "sso_exchange",
		now: now(),
	});
	const session = taken && (await findSession(db, { sessionId: taken.sessionId, now: now() }));
	if (taken === undefined || session === undefined || !mayGoOn(session.standing))
		throw failures.exchange_token_invalid();
	const { standing, refreshToken } = session;
	if (isHqUser(standing) || !outletsOf(standing).some(({ id }) => id === outletId))
		throw failures.outlet_forbidden();
	// Between the look at the session and this it may have been revoked.
	if (!(await chooseOutlet(db, { sessionId: taken.sessionId, outletId })))
		throw failures.exchange_token_invalid();
	return issueTokens(dependencies, {
		standing,
		session: { ...session, id: taken.sessionId, outletId },
		isIdTokenWanted: true,
		refreshToken: refreshToken && refreshTokens.write(refreshToken),
	});
}
