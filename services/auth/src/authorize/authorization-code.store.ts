import type { Database } from "@lango/postgres";
import type { RequestedClaims } from "../sessions/grant/requested-claims.ts";
import { browserIdleSeconds } from "../sessions/grant/session-limit.ts";

/** A code as its request makes it; who it is for, the session behind the cookie says. */
export type NewCode = {
	codeHash: Buffer;
	clientId: string;
	redirectUri: string;
	codeChallenge: string | undefined;
	scope: string;
	resource: string | undefined;
	claims: RequestedClaims | undefined;
	nonce: string | undefined;
	expiresAt: Date;
};

/** Who is signed in on a browser, as far as a code for them depends on it. */
export type SignedIn = {
	userId: string;
	authTime: Date;
	/** Of the tenant meant; undefined when they do not belong to it. */
	tenantStatus: string | undefined;
};

type SignedInRow = { user_id: string; auth_time: Date; tenant_status: string | null };

/**
 * Who is signed in behind a cookie, kept alive by this use, and a code recorded for them in the tenant meant: one round
 * trip. Whether they may have the code is for the caller to decide; one that nobody is told is worth nothing. Undefined,
 * and no code, when the session has ended or run out; who does not belong to the tenant has no code either.
 */
export async function recordCodeForCookie(
	db: Database,
	{
		cookieHash,
		tenantSlug,
		now,
		...code
	}: NewCode & { cookieHash: Buffer; tenantSlug: string | undefined; now: Date },
): Promise<SignedIn | undefined> {
	const [row] = await db.query<SignedInRow>("select * from record_code_for_cookie($1)", [
		{
			cookie_hash: cookieHash.toString("hex"),
			tenant_slug: tenantSlug ?? null,
			now,
			idle_seconds: browserIdleSeconds,
			code_hash: code.codeHash.toString("hex"),
			client_id: code.clientId,
			redirect_uri: code.redirectUri,
			code_challenge: code.codeChallenge ?? null,
			scope: code.scope,
			resource: code.resource ?? null,
			claims: code.claims ?? null,
			nonce: code.nonce ?? null,
			expires_at: code.expiresAt,
		},
	]);
	return (
		row && { userId: row.user_id, authTime: row.auth_time, tenantStatus: row.tenant_status ?? undefined }
	);
}
