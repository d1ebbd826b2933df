import { hash } from "node:crypto";
import type { Subscription } from "@lango/contracts";

/** The ETag of a snapshot: its version, and a digest of the body as it is sent, which time changes too. */
export function entityTagOf(snapshot: Subscription, body = JSON.stringify(snapshot)): string {
	return `"${snapshot.version}-${hash("sha256", body, "base64url").slice(0, 22)}"`;
}

/** Whether If-None-Match contains the tag (RFC 9110 §13.1.2): a list, compared weakly, or `*`. */
export function namesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	return ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}
