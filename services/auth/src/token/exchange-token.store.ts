import type { Database } from "@lango/postgres";

/** The access token that an exchange began with; the answer to it reaches no further. */
export type AccessLimits = {
	/** The public identifier of the client. */
	clientId: string;
	scope: string;
	audience: string;
	expiresAt: Date;
};

/** An exchange token as it is stored. */
export type ExchangeKey = { tenantId: string; tokenHash: Buffer };

export type NewExchangeToken = {
	tokenHash: Buffer;
	tenantId: string;
	userId: string;
	sessionId: string;
	expiresAt: Date;
	/** Undefined for an exchange that began at /token or /auth/login. */
	limits: AccessLimits | undefined;
};

/** Records an exchange token by its hash. */
export async function recordExchangeToken(db: Database, token: NewExchangeToken): Promise<void> {
	const { limits } = token;
	await db.query("select record_one_time_token($1)", [
		{
			token_hash: token.tokenHash.toString("hex"),
			kind: limits === undefined ? "sso_exchange" : "outlet_switch",
			tenant_id: token.tenantId,
			user_id: token.userId,
			session_id: token.sessionId,
			expires_at: token.expiresAt,
			client_id: limits?.clientId ?? null,
			scope: limits?.scope ?? null,
			audience: limits?.audience ?? null,
			access_expires_at: limits?.expiresAt ?? null,
		},
	]);
}

export type LockedExchange = {
	sessionId: string;
	/** Whether the client of the session is public. */
	isPublic: boolean;
	limits: AccessLimits | undefined;
};

type LockedRow = {
	session_id: string;
	is_public: boolean;
	client_id: string | null;
	scope: string | null;
	audience: string | null;
	access_expires_at: Date | null;
};

/** Locks an exchange token until the transaction ends; undefined if it is unknown, used or expired. */
export async function lockExchangeToken(
	tx: Database,
	{ tenantId, tokenHash, now }: ExchangeKey & { now: Date },
): Promise<LockedExchange | undefined> {
	const [row] = await tx.query<LockedRow>("select * from lock_exchange_token($1, $2, $3)", [
		tenantId,
		tokenHash,
		now,
	]);
	return row && { sessionId: row.session_id, isPublic: row.is_public, limits: limitsOf(row) };
}

function limitsOf({ client_id, scope, audience, access_expires_at }: LockedRow): AccessLimits | undefined {
	if (client_id === null || scope === null || audience === null || access_expires_at === null)
		return undefined;
	return { clientId: client_id, scope, audience, expiresAt: access_expires_at };
}

/** Consumes a locked exchange token and binds its session to the outlet; false if the session was revoked. */
export async function takeExchangeToken(
	tx: Database,
	{ tenantId, tokenHash, outletId, now }: ExchangeKey & { outletId: string; now: Date },
): Promise<boolean> {
	const [row] = await tx.query<{ is_bound: boolean | null }>(
		"select take_exchange_token($1, $2, $3, $4) as is_bound",
		[tenantId, tokenHash, outletId, now],
	);
	return row?.is_bound === true;
}

/** Counts a wrong outlet id against a locked exchange token; number `max` consumes it. */
export async function countWrongOutlet(
	tx: Database,
	{ tenantId, tokenHash, max, now }: ExchangeKey & { max: number; now: Date },
): Promise<void> {
	await tx.query("select count_wrong_outlet($1, $2, $3, $4)", [tenantId, tokenHash, max, now]);
}
