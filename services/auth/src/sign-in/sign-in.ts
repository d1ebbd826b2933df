import type { Hashing } from "@lango/passwords";
import type { Client } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { isKnown, type Standing } from "../memberships/standing.ts";
import { renewHash } from "../passwords/renew-hash.ts";
import { requesterOf } from "../passwords/requester.ts";
import { type IssuingNeeds, issueTokens, type TokenAnswer } from "../token/issue-tokens.ts";
import { foldEmail } from "../users/email.ts";
import { clientUnknown, openSignIn, type Proof } from "./open-sign-in.ts";
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

type Needs = IssuingNeeds &
	Pick<Dependencies, "clients" | "failureCount" | "hashing" | "knownDevices" | "refreshTokens">;

/**
 * Signs a person in by password: a browser session, a session of the client with what the client may have, and the event, all or
 * nothing. Unknown person, wrong password and wrong tenant are one answer in the same time: throws `invalid_credentials`;
 * also `client_unknown` and `client_confidential`, `too_many_attempts`, `too_many_sign_ins`, `sign_in_busy`, and `tenant_inactive` to who proved
 * their password.
 */
export async function signIn(dependencies: Needs, attempt: SignIn): Promise<SignedIn> {
	const prove = () => provePassword(dependencies, attempt);
	const proof = await prove();
	const client = await requirePublicClient(dependencies, attempt.clientId);
	// Somebody's change may come between the proof and its record. Then once more: it may have been the same password, hashed anew.
	const opened =
		(await openSignIn(dependencies, { attempt, client, proof })) ??
		(await openSignIn(dependencies, { attempt, client, proof: await prove() }));
	if (opened === undefined) throw failures.invalid_credentials();
	const { session, refreshToken, standing, cookieValue } = opened;
	return {
		cookieValue,
		deviceCookieValue: dependencies.knownDevices.remember(attempt.deviceCookie, foldEmail(attempt.email)),
		standing,
		tokens: await issueTokens(dependencies, { standing, session, isIdTokenWanted: true, refreshToken }),
	};
}

/** Who signs in here holds no secret; a confidential client has the person come by the code flow. */
async function requirePublicClient({ clients }: Needs, clientId: string): Promise<Client> {
	const client = await clients.find(clientId);
	if (client === undefined) throw clientUnknown();
	if (!client.isPublic) throw failures.client_confidential({ fields: { field: "client_id", in: "body" } });
	return client;
}

/** Whose password it is, in the tenant they named or their primary one, and the hash it was proved by. */
async function provePassword(
	{ db, now, hashing, failureCount, knownDevices }: Needs,
	{ email, password, tenantSlug, ip, deviceCookie }: SignIn,
): Promise<Proof> {
	const emailFolded = foldEmail(email);
	const device = knownDevices.find(deviceCookie, emailFolded);
	const requester = requesterOf({ email, ip, tenantSlug, device });
	const prove = async (share: Hashing): Promise<Proof | undefined> => {
		const found = await findSignIn(db, { emailFolded, tenantSlug });
		const { matches, isOutdated } = await share.check(password, found?.passwordHash);
		const { standing, passwordHash: proved } = found ?? {};
		if (!matches || proved === undefined || standing === undefined || !mayEnter(standing)) return undefined;
		const userId = standing.user.id;
		const renewal = { userId, password, proved };
		const hash = isOutdated ? await renewHash({ db, now, hashing: share }, renewal) : proved;
		return { userId, tenantId: standing.tenant.id, hash };
	};
	const proof = await failureCount.attempt({ account: emailFolded, ip, device }, () =>
		hashing.withShare(requester, prove),
	);
	if (proof === undefined) throw failures.invalid_credentials();
	return proof;
}

const mayEnter = ({ user, membership }: Standing) => membership !== null && isKnown(user);
