import { randomUUID } from "node:crypto";
import { apiScope, authDeviceAdded, authUserLogin } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import { type Client, identityScopes } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { type MembershipState, rolesOf, userStatus } from "../memberships/membership-state.ts";
import type { SignInPlace } from "../places/places.ts";
import { refreshIdleSeconds, refreshLifeSeconds } from "../secrets/refresh-token.ts";
import { recordBrowserSession } from "../sessions/browser/browser-session.store.ts";
import { endFormerSessions } from "../sessions/grant/resumed-session.store.ts";
import { recordSession } from "../sessions/grant/session.store.ts";
import { announceRevoked } from "../sessions/logout/end-session.ts";
import { limitSessions } from "../sessions/logout/end-surplus-sessions.ts";
import { deviceNameOf } from "./device-name.ts";
import { lockSignIn } from "./sign-in.store.ts";

const scopes = [...identityScopes, apiScope];
const amr = ["pwd"];

/** A correct password: the user, the tenant and the hash that it matched. */
export type Proof = { userId: string; tenantId: string; hash: string };
/** `likeness`: of a device on which the person has not signed in (`KnownDevices`). */
type Attempt = {
	ip: string;
	correlationId: string;
	likeness: Buffer | undefined;
	userAgent: string;
	place: SignInPlace | undefined;
	/** The value of the session cookie. */
	formerCookie: string | undefined;
};
type Opening = { attempt: Attempt; client: Client; proof: Proof };
type Needs = Pick<Dependencies, "db" | "log" | "now" | "refreshTokens">;

/**
 * Records the sessions and the event in one transaction; undefined if the password or the access has
 * changed since it was checked. Throws `tenant_inactive`, and `client_unknown` if the client was removed.
 */
export async function openSignIn(
	{ db, log, now, refreshTokens }: Needs,
	{ attempt, client, proof }: Opening,
) {
	const at = now();
	const after = (seconds: number) => new Date(at.getTime() + seconds * 1_000);
	const { userId, tenantId } = proof;
	const granted = scopes.filter((one) => client.scopes.includes(one));
	const cookieValue = mintSecret();
	const id = randomUUID();
	const first = refreshTokens.first({ tenantId, sessionId: id });
	const refreshToken = granted.includes("offline_access") ? refreshTokens.write(first) : undefined;
	const { salt, keyId } = first;
	const refresh = refreshToken === undefined ? undefined : { hash: hashSecret(refreshToken), salt, keyId };
	const session = { id, scope: granted.join(" "), authTime: at, amr, outletId: null };
	const opened = inTenant(db, tenantId, async (tx) => {
		const membershipState = await lockSignIn(tx, { userId, tenantId, proved: proof.hash });
		if (membershipState === undefined) return undefined;
		if (membershipState.tenant.status !== "active") throw failures.tenant_inactive();
		const browser = await openBrowserSession(tx, { attempt, client, proof }, { cookieValue, at });
		await recordSession(tx, {
			...session,
			tenantId,
			userId,
			clientId: client.id,
			browserSessionId: browser.id,
			refresh,
			idleExpiresAt: after(refreshIdleSeconds),
			expiresAt: after(refreshLifeSeconds),
		});
		const origin = { actorUserId: userId, ip: attempt.ip, requestId: attempt.correlationId, now: at };
		await recordAudit(tx, origin, {
			...{ tenantId, action: "session.started", subject: id },
			after: { client_id: client.clientId, device: deviceNameOf(attempt.userAgent) },
		});
		const signedIn = { membershipState, client, at, attempt };
		await announceLogin(tx, signedIn);
		if (browser.isNewDevice) await announceDevice(tx, signedIn);
		const issuing = { ...session, client, resource: null, claims: null };
		return { session: issuing, refreshToken, membershipState, cookieValue };
	});
	// The client may come from the cache; the database detects that it was removed.
	const signedIn = await opened.catch((error: unknown) => {
		throw violatedConstraint(error) === "sessions__client_id_fkey" ? clientUnknown() : error;
	});
	if (signedIn === undefined) return undefined;
	const { correlationId } = attempt;
	// After the commit, so that the last of parallel sign-ins sees the sessions of the others.
	await limitSessions({ db, log }, { userId, now: at, correlationId });
	return signedIn;
}

/** Records the session of the browser, or renews it and ends the session that it had with the client. */
async function openBrowserSession(
	tx: Database,
	{ attempt, client, proof: { userId, tenantId } }: Opening,
	{ cookieValue, at }: { cookieValue: string; at: Date },
): Promise<{ id: string; isNewDevice: boolean }> {
	const { likeness, formerCookie, userAgent, place, correlationId } = attempt;
	const browser = await recordBrowserSession(tx, {
		...{ userId, amr, likeness, place, now: at },
		tokenHash: hashSecret(cookieValue),
		formerHash: formerCookie === undefined ? undefined : hashSecret(formerCookie),
		device: deviceNameOf(userAgent),
	});
	if (!browser.isRenewed) return browser;
	const former = { browserSessionId: browser.id, clientId: client.id, tenantId, now: at };
	const revoked = await endFormerSessions(tx, former);
	await announceRevoked(tx, revoked, { now: at, because: "signed_in_again", correlationId });
	return browser;
}

export const clientUnknown = () => failures.client_unknown({ fields: { field: "client_id", in: "body" } });

type Announcing = { membershipState: MembershipState; client: Client; at: Date; attempt: Attempt };

async function announceLogin(
	tx: Database,
	{ membershipState, client, at, attempt: { correlationId } }: Announcing,
): Promise<void> {
	const { user, tenant } = membershipState;
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
			roles: [...rolesOf(membershipState)],
			status: userStatus(membershipState),
			client_id: client.clientId,
			at: at.toISOString(),
		},
	});
}

async function announceDevice(
	tx: Database,
	{ membershipState, client, at, attempt: { correlationId, userAgent } }: Announcing,
): Promise<void> {
	const { user, tenant } = membershipState;
	await recordEvent(tx, authDeviceAdded, {
		subject: user.id,
		tenantId: tenant.id,
		tenantSlug: tenant.slug,
		correlationId,
		now: at,
		data: {
			user_id: user.id,
			device: deviceNameOf(userAgent),
			client_id: client.clientId,
			at: at.toISOString(),
		},
	});
}
