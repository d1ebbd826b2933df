import type { Database } from "@lango/postgres";
import type { RequestedClaims } from "../token/requested-claims.ts";

export type NewCode = {
	codeHash: Buffer;
	tenantId: string;
	userId: string;
	clientId: string;
	browserSessionId: string;
	redirectUri: string;
	codeChallenge: string | undefined;
	scope: string;
	resource: string | undefined;
	claims: RequestedClaims | undefined;
	nonce: string | undefined;
	authTime: Date;
	amr: readonly string[];
	expiresAt: Date;
};

/** Records an authorization code by its hash; one round trip. */
export async function recordCode(db: Database, code: NewCode): Promise<void> {
	await db.query("select record_code($1)", [
		{
			code_hash: code.codeHash.toString("hex"),
			tenant_id: code.tenantId,
			user_id: code.userId,
			client_id: code.clientId,
			browser_session_id: code.browserSessionId,
			redirect_uri: code.redirectUri,
			code_challenge: code.codeChallenge ?? null,
			scope: code.scope,
			resource: code.resource ?? null,
			claims: code.claims ?? null,
			nonce: code.nonce ?? null,
			auth_time: code.authTime,
			amr: code.amr,
			expires_at: code.expiresAt,
		},
	]);
}
