import { createHash } from "node:crypto";
import type { Subscription } from "@lango/contracts";

/** The ETag of a snapshot: its version, and a digest of all it says, which time changes too. */
export function entityTagOf(snapshot: Subscription): string {
	const digest = createHash("sha256").update(JSON.stringify(snapshot)).digest("base64url").slice(0, 22);
	return `"${snapshot.version}-${digest}"`;
}

/** Whether If-None-Match names the tag (RFC 9110 §13.1.2): a list, compared weakly, or `*`. */
export function namesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	return ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}
