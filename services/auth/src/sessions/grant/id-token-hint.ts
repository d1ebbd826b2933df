import { type KeySet, readHeader, readSigned, TokenRefused } from "@lango/tokens";
import type { SessionRef } from "./session.store.ts";

/** The subject, session and client of an ID token. */
export type IdTokenHint = { subject: string; session: SessionRef | undefined; clientId: string };

/**
 * Reads an ID token that a client sends as a hint (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2).
 * It must be signed by this issuer for one client; its expiry is ignored. Undefined if it is invalid.
 */
export async function readIdTokenHint(
	text: string,
	{ keys, issuer }: { keys: KeySet; issuer: string },
): Promise<IdTokenHint | undefined> {
	try {
		const { kid, typ } = readHeader(text);
		const key = await keys.find(kid);
		if (key === undefined || typ !== "jwt") return undefined;
		const { iss, sub, aud, sid, tenant_id: tenant } = readSigned(text, key);
		if (iss !== issuer || typeof sub !== "string" || typeof aud !== "string") return undefined;
		const tenantId = typeof tenant === "string" ? tenant : undefined;
		const session = typeof sid === "string" ? { tenantId, sessionId: sid } : undefined;
		return { subject: sub, clientId: aud, session };
	} catch (error) {
		if (error instanceof TokenRefused) return undefined;
		throw error;
	}
}
