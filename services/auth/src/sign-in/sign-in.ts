import { networkOf } from "@lango/chassis";
import type { Hashing } from "@lango/passwords";
import type { Client } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { isKnown, type MembershipState } from "../memberships/membership-state.ts";
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
	/** The value of the session cookie: a session of the same person is renewed. */
	formerCookie: string | undefined;
	/** The User-Agent header; empty without one. */
	userAgent: string;
	correlationId: string;
};
export type SignedIn = {
	cookieValue: string;
	deviceCookieValue: string;
	membershipState: MembershipState;
	tokens: TokenAnswer;
};

type Needs = IssuingNeeds &
	Pick<Dependencies, "clients" | "failureCount" | "hashing" | "knownDevices" | "places" | "refreshTokens">;

/**
 * Signs a user in by password: records a browser session, a client session and the event in one
 * transaction. An unknown user, a wrong password and a wrong tenant get the same answer in the same time.
 * Throws `invalid_credentials`, `client_unknown`, `client_confidential`, `too_many_attempts`,
 * `too_many_sign_ins`, `sign_in_busy`, and `tenant_inactive` if the password is correct.
 */
export async function signIn(dependencies: Needs, attempt: SignIn): Promise<SignedIn> {
	const prove = () => provePassword(dependencies, attempt);
	const proof = await prove();
	const client = await requirePublicClient(dependencies, attempt.clientId);
	const opening = {
		attempt: {
			...attempt,
			likeness: likenessOf(dependencies, attempt),
			place: dependencies.places(attempt.ip),
		},
		client,
	};
	// A concurrent change can invalidate the proof. One retry, because the same password may only have been
	// hashed again.
	const opened =
		(await openSignIn(dependencies, { ...opening, proof })) ??
		(await openSignIn(dependencies, { ...opening, proof: await prove() }));
	if (opened === undefined) throw failures.invalid_credentials();
	const { session, refreshToken, membershipState, cookieValue } = opened;
	return {
		cookieValue,
		deviceCookieValue: dependencies.knownDevices.remember(attempt.deviceCookie, foldEmail(attempt.email)),
		membershipState,
		tokens: await issueTokens(dependencies, {
			membershipState,
			session,
			isIdTokenWanted: true,
			refreshToken,
		}),
	};
}

/** Undefined for a device on which the person has signed in. */
function likenessOf(
	{ knownDevices }: Needs,
	{ email, ip, userAgent, deviceCookie }: SignIn,
): Buffer | undefined {
	const account = foldEmail(email);
	if (knownDevices.find(deviceCookie, account) !== undefined) return undefined;
	return knownDevices.likenessOf(account, { network: networkOf(ip), userAgent });
}

/** Sign-in by password is for public clients only; a confidential client uses the authorization code flow. */
async function requirePublicClient({ clients }: Needs, clientId: string): Promise<Client> {
	const client = await clients.find(clientId);
	if (client === undefined) throw clientUnknown();
	if (!client.isPublic) throw failures.client_confidential({ fields: { field: "client_id", in: "body" } });
	return client;
}

/** Checks the password of a user in the named tenant or in their primary one. */
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
		const { membershipState, passwordHash: proved } = found ?? {};
		if (!matches || proved === undefined || membershipState === undefined || !mayEnter(membershipState))
			return undefined;
		const userId = membershipState.user.id;
		const renewal = { userId, password, proved };
		const hash = isOutdated ? await renewHash({ db, now, hashing: share }, renewal) : proved;
		return { userId, tenantId: membershipState.tenant.id, hash };
	};
	const proof = await failureCount.attempt({ account: emailFolded, ip, device }, () =>
		hashing.withShare(requester, prove),
	);
	if (proof === undefined) throw failures.invalid_credentials();
	return proof;
}

const mayEnter = ({ user, membership }: MembershipState) => membership !== null && isKnown(user);
