import { randomUUID } from "node:crypto";
import { authUserLogin } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import type { Client } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { renewHash } from "../passwords/renew-hash.ts";
import { recordBrowserSession } from "../sessions/browser-session.store.ts";
import { refreshIdleSeconds, refreshLifeSeconds } from "../sessions/refresh-token.ts";
import { recordSession } from "../sessions/session.store.ts";
import { issueTokens, type TokenAnswer } from "../token/issue-tokens.ts";
import { rolesOf, type Standing, userStatus } from "../token/standing.ts";
import { foldEmail } from "../users/email.ts";
import { isKnown } from "../users/person.store.ts";
import { findSignIn, holdSignIn } from "./sign-in.store.ts";

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

const scopes = ["openid", "profile", "email", "offline_access"];
const amr = ["pwd"];

/**
 * Signs a person in by password: a browser session, a session of the client with what the client may have, and the event, all or
 * nothing. Unknown person, wrong password and wrong tenant are one answer in the same time: throws `invalid_credentials`;
 * also `client_unknown` and `client_confidential`, `too_many_attempts`, `sign_in_busy`, and `tenant_inactive` to who proved
 * their password.
 */
export async function signIn(dependencies: Dependencies, attempt: SignIn): Promise<SignedIn> {
	const prove = () => provePassword(dependencies, attempt);
	const proof = await prove();
	const client = await requirePublicClient(dependencies, attempt.clientId);
	// Somebody's change may come between the proof and its record. Then once more: it may have been the same password, hashed anew.
	const opened =
		(await open(dependencies, { attempt, client, proof })) ??
		(await open(dependencies, { attempt, client, proof: await prove() }));
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
async function requirePublicClient({ clients }: Dependencies, clientId: string): Promise<Client> {
	const client = await clients.find(clientId);
	if (client === undefined) throw clientUnknown();
	if (!client.isPublic) throw failures.client_confidential({ fields: { field: "client_id", in: "body" } });
	return client;
}

const clientUnknown = () => failures.client_unknown({ fields: { field: "client_id", in: "body" } });

type Proof = { userId: string; tenantId: string; hash: string };
type Opening = { attempt: SignIn; client: Client; proof: Proof };

/** Records the sessions and the event; undefined when what was proved does not hold any more. */
async function open({ db, now, refreshTokens }: Dependencies, { attempt, client, proof }: Opening) {
	const at = now();
	const after = (seconds: number) => new Date(at.getTime() + seconds * 1_000);
	const { userId, tenantId } = proof;
	const granted = scopes.filter((one) => client.scopes.includes(one));
	const cookieValue = mintSecret();
	const id = randomUUID();
	const first = refreshTokens.first(id);
	const refreshToken = granted.includes("offline_access") ? refreshTokens.write(first) : undefined;
	const { salt, keyId } = first;
	const refresh = refreshToken === undefined ? undefined : { hash: hashSecret(refreshToken), salt, keyId };
	const session = { id, scope: granted.join(" "), authTime: at, amr };
	const opened = inTenant(db, tenantId, async (tx) => {
		const standing = await holdSignIn(tx, { userId, tenantId, proved: proof.hash });
		if (standing === undefined) return undefined;
		if (standing.tenant.status !== "active") throw failures.tenant_inactive();
		const tokenHash = hashSecret(cookieValue);
		const browserSessionId = await recordBrowserSession(tx, { tokenHash, userId, amr, now: at });
		await recordSession(tx, {
			...session,
			tenantId,
			userId,
			clientId: client.id,
			browserSessionId,
			refresh,
			idleExpiresAt: after(refreshIdleSeconds),
			expiresAt: after(refreshLifeSeconds),
		});
		await tellLogin(tx, { standing, client, at, correlationId: attempt.correlationId });
		const { clientId, idTokenAlgorithm } = client;
		const issuing = { ...session, clientId, idTokenAlgorithm, outletId: null, resource: null, claims: null };
		return { session: issuing, refreshToken, standing, cookieValue };
	});
	// A client is remembered for some seconds; the database knows first that it was removed.
	return opened.catch((error: unknown) => {
		throw violatedConstraint(error) === "sessions__client_id_fkey" ? clientUnknown() : error;
	});
}

type Telling = { standing: Standing; client: Client; at: Date; correlationId: string };

async function tellLogin(tx: Database, { standing, client, at, correlationId }: Telling): Promise<void> {
	const { user, tenant } = standing;
	await recordEvent(tx, authUserLogin, {
		subject: user.id,
		tenantId: tenant.id,
		tenantSlug: tenant.slug,
		correlationId,
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
}

/** Whose password it is, in the tenant they named or their primary one, and the hash it was proved by. */
async function provePassword(
	{ db, now, hashing, failureCount, knownDevices }: Dependencies,
	{ email, password, tenantSlug, ip, deviceCookie }: SignIn,
): Promise<Proof> {
	const emailFolded = foldEmail(email);
	const device = knownDevices.find(deviceCookie, emailFolded);
	const proof = await failureCount.attempt({ account: emailFolded, ip, device }, async () => {
		const found = await findSignIn(db, { emailFolded, tenantSlug });
		const { matches, isOutdated } = await hashing.check(password, found?.passwordHash);
		const { standing, passwordHash: hash } = found ?? {};
		if (!matches || hash === undefined || standing === undefined || !mayEnter(standing)) return undefined;
		return { userId: standing.user.id, tenantId: standing.tenant.id, hash, isOutdated };
	});
	if (proof === undefined) throw failures.invalid_credentials();
	if (!proof.isOutdated) return proof;
	const { userId, hash: proved } = proof;
	return { ...proof, hash: await renewHash({ db, now, hashing }, { userId, password, proved }) };
}

const mayEnter = ({ user, membership }: Standing) => membership !== null && isKnown(user);
