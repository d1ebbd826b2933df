import type { Database } from "@lango/postgres";
import type { RequestedClaims } from "../sessions/grant/requested-claims.ts";
import { browserIdleSeconds } from "../sessions/grant/session-limit.ts";

/** A code before it is recorded; the person is that of the browser session. */
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

/** The browser session and the tenant that a code is issued for, with what the request requires of them. */
export type CodeConditions = {
	cookieHash: Buffer;
	/** The person's primary tenant if undefined. */
	tenantSlug: string | undefined;
	/** The only acceptable person; any person if undefined. */
	subject: string | undefined;
	/** The earliest acceptable sign-in; any sign-in if undefined. */
	signedInSince: Date | "infinity" | undefined;
	now: Date;
};

/** `sign_in_required`: no live browser session, another person, or a sign-in that is too old. */
export type CodeOutcome = "sign_in_required" | "not_a_member" | "tenant_inactive";

type Issued = { outcome: "recorded"; tenant_id: string } | { outcome: CodeOutcome };

/**
 * Records a code if the person behind the cookie may have it, and extends the browser session; one round
 * trip. `tenantId`: the tenant of the code.
 */
export async function recordCode(
	db: Database,
	code: NewCode,
	conditions: CodeConditions,
): Promise<{ outcome: "recorded"; tenantId: string } | { outcome: CodeOutcome }> {
	const [row] = await db.query<{ issued: Issued }>("select issue_code($1) as issued", [
		{
			cookie_hash: conditions.cookieHash.toString("hex"),
			tenant_slug: conditions.tenantSlug ?? null,
			subject: conditions.subject ?? null,
			signed_in_since: conditions.signedInSince ?? null,
			now: conditions.now,
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
	if (row === undefined) throw new Error("issue_code returns one row");
	const { issued } = row;
	return issued.outcome === "recorded" ? { outcome: "recorded", tenantId: issued.tenant_id } : issued;
}
