import type { Database } from "@lango/postgres";
import type { Algorithm } from "@lango/tokens";
import type { MembershipState } from "../../memberships/membership-state.ts";
import { fromRow, type MembershipStateRow } from "../../memberships/membership-state-row.ts";
import type { RefreshToken, SessionKey } from "../../secrets/refresh-token.ts";
import type { RequestedClaims } from "./requested-claims.ts";
import { browserIdleSeconds, sessionsMax } from "./session-limit.ts";

const hex = (bytes: Buffer) => bytes.toString("hex");

export type NewSession = {
	id: string;
	tenantId: string;
	userId: string;
	clientId: string;
	browserSessionId: string | null;
	/** Null before a selection. */
	outletId: string | null;
	scope: string;
	authTime: Date;
	amr: readonly string[];
	/** Undefined without offline_access. */
	refresh: LiveRefresh | undefined;
	idleExpiresAt: Date;
	expiresAt: Date;
};

/** The stored part of the live refresh token. */
type LiveRefresh = { hash: Buffer; salt: string; keyId: string };

/** Records a client session, inside its tenant. */
export async function recordSession(db: Database, session: NewSession): Promise<void> {
	await db.query(
		`insert into sessions (id, tenant_id, user_id, client_id, browser_session_id, outlet_id, scope, auth_time, amr, refresh_hash,
		   refresh_salt, refresh_key_id, idle_expires_at, expires_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		[
			session.id,
			session.tenantId,
			session.userId,
			session.clientId,
			session.browserSessionId,
			session.outletId,
			session.scope,
			session.authTime,
			session.amr,
			session.refresh?.hash ?? null,
			session.refresh?.salt ?? null,
			session.refresh?.keyId ?? null,
			session.idleExpiresAt,
			session.expiresAt,
		],
	);
}

/**
 * A session by its id and tenant. Without a tenant, for the token of a client without the scope `tenant`, it
 * is found by the id alone.
 */
export type SessionRef = { tenantId: string | undefined; sessionId: string };

/**
 * The tenant of a session as SQL: $1 is the session, $2 the stated tenant. Without one it is asked in the
 * same statement: a cluster runs these functions on the node of their tenant, and one that gets null as a
 * parameter ends the process of the coordinator (decision 0125).
 */
const tenantOf = ({ tenantId }: SessionRef): string =>
	tenantId === undefined ? "coalesce($2::uuid, tenant_of_session($1))" : "$2::uuid";

/** The session of a token. */
export const sessionOf = (claims: {
	sid?: string | undefined;
	tenant_id?: string | undefined;
}): SessionRef | undefined =>
	claims.sid === undefined ? undefined : { tenantId: claims.tenant_id, sessionId: claims.sid };

export type LiveSession = {
	clientId: string;
	outletId: string | null;
	scope: string;
	resource: string | null;
	claims: RequestedClaims | null;
	idTokenAlgorithm: Algorithm;
	authTime: Date;
	amr: string[];
	membershipState: MembershipState;
	/** The live refresh token, as far as the database knows it; undefined without offline_access. */
	refreshToken: RefreshToken | undefined;
};

type SessionRow = {
	client_id: string;
	outlet_id: string | null;
	scope: string;
	resource: string | null;
	claims: RequestedClaims | null;
	id_token_algorithm: Algorithm;
	auth_time: Date;
	amr: string[];
	generation: number;
	refresh_salt: string | null;
	refresh_key_id: string | null;
	membership_state: MembershipStateRow;
};

/** A session that is neither revoked nor expired, with the current state for its tokens. */
export async function findSession(
	db: Database,
	{ now, ...named }: SessionRef & { now: Date },
): Promise<LiveSession | undefined> {
	const [row] = await db.query<SessionRow>(`select * from find_session(${tenantOf(named)}, $1, $3)`, [
		named.sessionId,
		named.tenantId ?? null,
		now,
	]);
	if (row === undefined) return undefined;
	const membershipState = fromRow(row.membership_state);
	const { generation, refresh_salt: salt, refresh_key_id: keyId } = row;
	const session = { tenantId: membershipState.tenant.id, sessionId: named.sessionId };
	return {
		clientId: row.client_id,
		outletId: row.outlet_id,
		scope: row.scope,
		resource: row.resource,
		claims: row.claims,
		idTokenAlgorithm: row.id_token_algorithm,
		authTime: row.auth_time,
		amr: row.amr,
		membershipState,
		refreshToken: salt === null || keyId === null ? undefined : { ...session, generation, salt, keyId },
	};
}

/** A session that was revoked just now. */
export type Revoked = { sessionId: string; tenantId: string; userId: string };
export type RevokedRow = { session_id: string; tenant_id: string; user_id: string };

export function fromRevokedRow({
	session_id: sessionId,
	tenant_id: tenantId,
	user_id: userId,
}: RevokedRow): Revoked {
	return { sessionId, tenantId, userId };
}

/** Revokes a session; undefined if not found or already revoked. */
export async function revokeSession(
	db: Database,
	{ now, because, ...named }: SessionRef & { now: Date; because: string },
): Promise<Revoked | undefined> {
	const [row] = await db.query<RevokedRow>(`select * from revoke_session(${tenantOf(named)}, $1, $3, $4)`, [
		named.sessionId,
		named.tenantId ?? null,
		now,
		because,
	]);
	return row && fromRevokedRow(row);
}

/** The outcome of an exchange; `ok`, `rotated` and `again` include the other members. */
export type Exchange<Outcome extends string> =
	| {
			outcome: Outcome;
			scope: string;
			resource: string | null;
			claims: RequestedClaims | null;
			authTime: Date;
			amr: string[];
			membershipState: MembershipState;
			outletId: string | null;
			nonce: string | undefined;
	  }
	/** `opened`: of a code used twice, the session its first use opened. */
	| { outcome: string; membershipState: undefined; opened: string | undefined };

type ExchangeRow = {
	outcome: string;
	opened?: string | null;
	session_id?: string;
	scope: string;
	resource: string | null;
	claims: RequestedClaims | null;
	nonce?: string | null;
	outlet_id: string | null;
	auth_time: string;
	amr: string[];
	membership_state?: MembershipStateRow | null;
};

function fromExchange<Outcome extends string>(row: ExchangeRow | undefined): Exchange<Outcome> {
	if (row === undefined) throw new Error("an exchange must return one row");
	const { outcome, membership_state, scope, resource, claims, amr, nonce, opened } = row;
	if (membership_state === null || membership_state === undefined)
		return { outcome, membershipState: undefined, opened: opened ?? undefined };
	return {
		outcome: outcome as Outcome,
		scope,
		resource,
		claims,
		authTime: new Date(row.auth_time),
		amr,
		membershipState: fromRow(membership_state),
		outletId: row.outlet_id,
		nonce: nonce ?? undefined,
	};
}

export type CodeExchange = {
	tenantId: string;
	codeHash: Buffer;
	clientId: string;
	redirectUri: string | undefined;
	codeChallenge: string | undefined;
	/**
	 * The audience requested at the token endpoint (RFC 8707 §2.2), which must be within the code's audience.
	 */
	resource: string | undefined;
	sessionId: string;
	refresh: LiveRefresh;
	idleSeconds: number;
	lifeSeconds: number;
	now: Date;
};

/**
 * Uses an authorization code and opens its session if everything matches; one round trip. `exceedsLimit`:
 * the person now has more live sessions than allowed, and the caller ends the surplus. `sessionId`: the
 * session, which a first-party client may have had already.
 */
export async function exchangeCode(
	db: Database,
	code: CodeExchange,
): Promise<Exchange<"ok"> & { exceedsLimit: boolean; sessionId: string }> {
	const parameters = {
		code_hash: hex(code.codeHash),
		client_id: code.clientId,
		redirect_uri: code.redirectUri ?? null,
		code_challenge: code.codeChallenge ?? null,
		resource: code.resource ?? null,
		session_id: code.sessionId,
		refresh_hash: hex(code.refresh.hash),
		refresh_salt: code.refresh.salt,
		refresh_key_id: code.refresh.keyId,
		idle_seconds: code.idleSeconds,
		life_seconds: code.lifeSeconds,
		now: code.now,
	};
	// The subquery is not flattened, so the code is redeemed before the sessions are counted.
	const [row] = await db.query<{ redeemed: ExchangeRow; exceeds: boolean | null }>(
		`select r.redeemed,
		   exceeds_session_limit((r.redeemed->'membership_state'->'user'->>'id')::uuid, $3, make_interval(secs => $4), $5) as exceeds
		   from (select redeem_code($1, $2) as redeemed offset 0) r`,
		[code.tenantId, parameters, code.now, browserIdleSeconds, sessionsMax],
	);
	return {
		...fromExchange<"ok">(row?.redeemed),
		exceedsLimit: row?.exceeds === true,
		sessionId: row?.redeemed.session_id ?? code.sessionId,
	};
}

export type Rotation = SessionKey & {
	clientId: string;
	generation: number;
	hash: Buffer;
	nextHash: Buffer;
	/** The requested part of the session's scope and audience; a request for more does not rotate the token. */
	scope: string | undefined;
	resource: string | undefined;
	idleSeconds: number;
	graceSeconds: number;
	now: Date;
};

/** Rotates a refresh token by compare and swap; one round trip. */
export async function rotateSession(
	db: Database,
	rotation: Rotation,
): Promise<Exchange<"rotated" | "again">> {
	const [row] = await db.query<{ rotated: ExchangeRow }>("select rotate_refresh_token($1, $2) as rotated", [
		rotation.tenantId,
		{
			session_id: rotation.sessionId,
			client_id: rotation.clientId,
			generation: rotation.generation,
			hash: hex(rotation.hash),
			next_hash: hex(rotation.nextHash),
			scope: rotation.scope ?? null,
			resource: rotation.resource ?? null,
			idle_seconds: rotation.idleSeconds,
			grace_seconds: rotation.graceSeconds,
			now: rotation.now,
		},
	]);
	return fromExchange(row?.rotated);
}

/** Whether this is the live refresh token of a session. */
export async function isLiveRefreshToken(
	db: Database,
	{ tenantId, sessionId, hash, now }: SessionKey & { hash: Buffer; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ is_live: boolean }>(
		"select is_live_refresh_token($1, $2, $3, $4) as is_live",
		[tenantId, sessionId, hash, now],
	);
	return row?.is_live === true;
}

/** Binds a session to an outlet; false if the session is not found or revoked. */
export async function chooseOutlet(
	db: Database,
	{ tenantId, sessionId, outletId }: SessionKey & { outletId: string },
): Promise<boolean> {
	const [row] = await db.query<{ is_bound: boolean | null }>("select bind_outlet($1, $2, $3) as is_bound", [
		tenantId,
		sessionId,
		outletId,
	]);
	return row?.is_bound === true;
}

/** Removes a batch of expired rows; returns the number. */
export async function purgeExpired(
	db: Database,
	{ now, limit }: { now: Date; limit: number },
): Promise<number> {
	const [row] = await db.query<{ purge_expired: number }>("select purge_expired($1, $2)", [now, limit]);
	return row?.purge_expired ?? 0;
}

/**
 * The current outlet of a session, empty without one; undefined if it is revoked or expired. One read by
 * primary key.
 */
export async function findLiveSessionOutlet(
	db: Database,
	{ now, ...named }: SessionRef & { now: Date },
): Promise<string | undefined> {
	const [row] = await db.query<{ outlet: string | null }>(
		`select live_session_outlet(${tenantOf(named)}, $1, $3) as outlet`,
		[named.sessionId, named.tenantId ?? null, now],
	);
	return row?.outlet ?? undefined;
}
