import { type Database, inTenant } from "@lango/postgres";
import type { MembershipState } from "../../memberships/membership-state.ts";
import { fromRow, type MembershipStateRow } from "../../memberships/membership-state-row.ts";
import type { RequestedClaims } from "./requested-claims.ts";
import { fromRevokedRow, type Revoked, type RevokedRow } from "./session.store.ts";
import { browserIdleSeconds } from "./session-limit.ts";

/** A live browser session with the state of its person in a tenant. */
export type ResumedBrowser = {
	id: string;
	authTime: Date;
	amr: string[];
	membershipState: MembershipState;
};

/**
 * Finds the live browser session of a cookie, extends it, and reads the state of its person in the named or
 * the primary tenant; undefined if it has ended, or the person is not a member.
 */
export async function resumeBrowser(
	db: Database,
	{ tokenHash, tenantSlug, now }: { tokenHash: Buffer; tenantSlug: string | undefined; now: Date },
): Promise<ResumedBrowser | undefined> {
	const [row] = await db.query<{
		id: string;
		auth_time: Date;
		amr: string[];
		membership_state: MembershipStateRow | null;
	}>(
		"select id, auth_time, amr, membership_state from resume_browser_session($1, $2, make_interval(secs => $3), $4)",
		[tokenHash, now, browserIdleSeconds, tenantSlug ?? null],
	);
	if (row === undefined || row.membership_state === null) return undefined;
	return {
		id: row.id,
		authTime: row.auth_time,
		amr: row.amr,
		membershipState: fromRow(row.membership_state),
	};
}

type Wanted = { browserSessionId: string; clientId: string; tenantId: string };

/**
 * Runs the work inside the tenant, alone for this browser and client: two pages that are loaded at once get
 * one session.
 */
export function aloneFor<T>(db: Database, wanted: Wanted, work: (tx: Database) => Promise<T>): Promise<T> {
	const { browserSessionId, clientId, tenantId } = wanted;
	return inTenant(db, tenantId, async (tx) => {
		await tx.query("select pg_advisory_xact_lock(hashtextextended('session of ' || $1 || ' ' || $2, 0))", [
			browserSessionId,
			clientId,
		]);
		return work(tx);
	});
}

export type ResumedSession = {
	id: string;
	scope: string;
	outletId: string | null;
	claims: RequestedClaims | null;
};

type Extending = Wanted & {
	/** The only session to find, if given. */
	sessionId: string | undefined;
	now: Date;
	idleSeconds: number;
};

/**
 * Finds the client session that a browser has with a client in a tenant, for all services, and extends it
 * as a refresh does. Its refresh token does not change. Call it inside the tenant.
 */
export async function extendSession(
	tx: Database,
	{ browserSessionId, clientId, tenantId, sessionId, now, idleSeconds }: Extending,
): Promise<ResumedSession | undefined> {
	const [row] = await tx.query<{
		id: string;
		scope: string;
		outlet_id: string | null;
		claims: RequestedClaims | null;
	}>(
		`with found as (
		   select id from sessions
		    where browser_session_id = $1 and client_id = $2 and tenant_id = $3 and resource is null and revoked_at is null
		      and expires_at > $4 and idle_expires_at > $4 and ($6::text is null or id::text = $6)
		    order by created_at desc, id limit 1 for update)
		 update sessions s set idle_expires_at = least(s.expires_at, $4 + make_interval(secs => $5)), resumed_at = $4
		   from found where s.tenant_id = $3 and s.id = found.id
		 returning s.id, s.scope, s.outlet_id, s.claims`,
		[browserSessionId, clientId, tenantId, now, idleSeconds, sessionId ?? null],
	);
	return row && { id: row.id, scope: row.scope, outletId: row.outlet_id, claims: row.claims };
}

/**
 * The outlet of the session that was used last of those that a browser has in a tenant; null before a
 * selection. It may not be one of the person's any more. Call it inside the tenant.
 */
export async function findLastOutlet(
	tx: Database,
	{ browserSessionId, tenantId }: Omit<Wanted, "clientId">,
): Promise<string | null> {
	const [row] = await tx.query<{ outlet_id: string }>(
		`select outlet_id from sessions
		  where browser_session_id = $1 and tenant_id = $2 and outlet_id is not null and revoked_at is null
		  order by greatest(created_at, resumed_at, rotated_at) desc, id limit 1`,
		[browserSessionId, tenantId],
	);
	return row?.outlet_id ?? null;
}

/**
 * Revokes the sessions that a browser has with a client in a tenant, because a new sign-in takes their place.
 * Call it inside the tenant.
 */
export async function endFormerSessions(
	tx: Database,
	{ browserSessionId, clientId, tenantId, now }: Wanted & { now: Date },
): Promise<Revoked[]> {
	const rows = await tx.query<RevokedRow>(
		`update sessions set revoked_at = $4, revoked_because = 'signed_in_again'
		  where browser_session_id = $1 and client_id = $2 and tenant_id = $3 and revoked_at is null
		 returning id as session_id, tenant_id, user_id`,
		[browserSessionId, clientId, tenantId, now],
	);
	return rows.map(fromRevokedRow);
}
