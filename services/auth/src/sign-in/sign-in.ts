import { randomUUID } from "node:crypto";
import { authUserLogin } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { swapPasswordHash } from "../passwords/credential.store.ts";
import { recordBrowserSession } from "../sessions/browser-session.store.ts";
import { refreshIdleSeconds, refreshLifeSeconds } from "../sessions/refresh-token.ts";
import { recordSession } from "../sessions/session.store.ts";
import { issueTokens, type TokenAnswer } from "../token/issue-tokens.ts";
import { rolesOf, type Standing, userStatus } from "../token/standing.ts";
import { foldEmail } from "../users/email.ts";
import { findSignIn } from "./sign-in.store.ts";

export type SignIn = {
	email: string;
	password: string;
	tenantSlug: string;
	clientId: string;
	ip: string;
	/** The value of the device cookie. */
	deviceCookie: string | undefined;
	correlationId: string;
};
export type SignedIn = {
	cookieValue: string;
	deviceCookieValue: string;
	standing: Standing;
	tokens: TokenAnswer;
};

const scope = "openid profile email offline_access";
const amr = ["pwd"];

/**
 * Signs a person in by password: a browser session, a session of the client, and the event, all or nothing.
 * Unknown person, wrong password and wrong tenant are one answer in the same time: throws `invalid_credentials`;
 * also `too_many_attempts`, `sign_in_busy`, and `tenant_inactive` to who proved their password.
 */
export async function signIn(dependencies: Dependencies, attempt: SignIn): Promise<SignedIn> {
	const standing = await provePassword(dependencies, attempt);
	if (standing.tenant.status !== "active") throw failures.tenant_inactive();
	const { db, now, refreshTokens } = dependencies;
	const client = await dependencies.clients.find(attempt.clientId);
	if (client === undefined) throw failures.client_unknown({ fields: { field: "client_id" } });

	const at = now();
	const after = (seconds: number) => new Date(at.getTime() + seconds * 1_000);
	const cookieValue = mintSecret();
	const sessionId = randomUUID();
	const first = refreshTokens.first(sessionId);
	const refreshToken = refreshTokens.write(first);
	const { user, tenant } = standing;
	await inTenant(db, tenant.id, async (tx) => {
		const browserSessionId = await recordBrowserSession(tx, {
			tokenHash: hashSecret(cookieValue),
			userId: user.id,
			amr,
			now: at,
		});
		await recordSession(tx, {
			id: sessionId,
			tenantId: tenant.id,
			userId: user.id,
			clientId: client.id,
			browserSessionId,
			scope,
			authTime: at,
			amr,
			refresh: { hash: hashSecret(refreshToken), salt: first.salt, keyId: first.keyId },
			idleExpiresAt: after(refreshIdleSeconds),
			expiresAt: after(refreshLifeSeconds),
		});
		await recordEvent(tx, authUserLogin, {
			subject: user.id,
			tenantId: tenant.id,
			tenantSlug: tenant.slug,
			correlationId: attempt.correlationId,
			now: at,
			data: {
				user_id: user.id,
				email: user.email,
				name: user.name,
				roles: [...rolesOf(standing)],
				status: userStatus(standing),
				client_id: client.clientId,
				at: at.toISOString(),
			},
		});
	});
	const session = {
		id: sessionId,
		clientId: client.clientId,
		idTokenAlgorithm: client.idTokenAlgorithm,
		outletId: null,
		scope,
		resource: null,
		claims: null,
		authTime: at,
		amr,
	};
	return {
		cookieValue,
		deviceCookieValue: dependencies.knownDevices.remember(attempt.deviceCookie, foldEmail(attempt.email)),
		standing,
		tokens: await issueTokens(dependencies, { standing, session, refreshToken }),
	};
}

/** The standing of the person whose password it is, in the tenant they named or their primary one. */
async function provePassword(
	{ db, now, hashing, failureCount, knownDevices }: Dependencies,
	attempt: SignIn,
): Promise<Standing> {
	const emailFolded = foldEmail(attempt.email);
	const device = knownDevices.find(attempt.deviceCookie, emailFolded);
	const counted = { account: emailFolded, ip: attempt.ip, device };
	await failureCount.check(counted);
	const found = await findSignIn(db, { emailFolded, tenantSlug: attempt.tenantSlug });
	const { matches, isOutdated } = await hashing.check(attempt.password, found?.passwordHash);
	const { standing, passwordHash: proved } = found ?? {};
	const mayEnter =
		standing?.membership != null && ["active", "pending", "pending_review"].includes(standing.user.status);
	if (!matches || proved === undefined || standing === undefined || !mayEnter) {
		await failureCount.record(counted);
		throw failures.invalid_credentials();
	}
	await failureCount.clear(counted);
	// In place of the hash that was proved and no other: the person may have got a new password meanwhile.
	if (isOutdated)
		await swapPasswordHash(db, {
			userId: standing.user.id,
			proved,
			hash: await hashing.hash(attempt.password),
			now: now(),
		});
	return standing;
}
