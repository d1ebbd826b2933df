import { randomUUID } from "node:crypto";
import { apiScope, authUserLogin } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import { hashSecret, mintSecret } from "@lango/tokens";
import { type Client, identityScopes } from "../clients/client.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { rolesOf, type Standing, userStatus } from "../memberships/standing.ts";
import { refreshIdleSeconds, refreshLifeSeconds } from "../secrets/refresh-token.ts";
import { recordBrowserSession } from "../sessions/browser/browser-session.store.ts";
import { recordSession } from "../sessions/grant/session.store.ts";
import { exceedsSessionLimit } from "../sessions/grant/session-limit.store.ts";
import { endSurplusSessions } from "../sessions/logout/end-surplus-sessions.ts";
import { holdSignIn } from "./sign-in.store.ts";

const scopes = [...identityScopes, apiScope];
const amr = ["pwd"];

/** Who proved their password, in which tenant, and the hash it was proved by. */
export type Proof = { userId: string; tenantId: string; hash: string };
type Opening = { attempt: { correlationId: string }; client: Client; proof: Proof };
type Needs = Pick<Dependencies, "db" | "now" | "refreshTokens">;

/**
 * Records the sessions and the event, all or nothing; undefined when what was proved does not hold any more. Throws
 * `tenant_inactive`, and `client_unknown` when the client has been removed.
 */
export async function openSignIn({ db, now, refreshTokens }: Needs, { attempt, client, proof }: Opening) {
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
		const issuing = { ...session, client, outletId: null, resource: null, claims: null };
		const exceedsLimit = await exceedsSessionLimit(tx, { userId, now: at });
		return { session: issuing, refreshToken, standing, cookieValue, exceedsLimit };
	});
	// A client is remembered for some seconds; the database knows first that it was removed.
	const signedIn = await opened.catch((error: unknown) => {
		throw violatedConstraint(error) === "sessions__client_id_fkey" ? clientUnknown() : error;
	});
	const { correlationId } = attempt;
	if (signedIn?.exceedsLimit) await endSurplusSessions(db, { userId, now: at, correlationId });
	return signedIn;
}

export const clientUnknown = () => failures.client_unknown({ fields: { field: "client_id", in: "body" } });

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
