import { hashSecret } from "@lango/tokens";
import type { Dependencies } from "../../dependencies.ts";
import { type BrowserSession, resumeBrowserSession } from "../../sessions/browser-session.store.ts";

/** OpenID Connect Core §3.1.2.3: who is signed in on this browser, if anybody is. */
export async function findSignedIn(
	{ db, now }: Dependencies,
	cookie: string | undefined,
): Promise<BrowserSession | undefined> {
	if (cookie === undefined) return undefined;
	return resumeBrowserSession(db, { tokenHash: hashSecret(cookie), now: now() });
}
