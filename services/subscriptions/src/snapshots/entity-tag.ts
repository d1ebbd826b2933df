import { hash } from "node:crypto";
import type { Subscription } from "@lango/contracts";

/** The ETag of a snapshot: its version, and a digest of the body as it is sent, which time changes too. */
export function entityTagOf(snapshot: Subscription, body = JSON.stringify(snapshot)): string {
	return `"${snapshot.version}-${hash("sha256", body, "base64url").slice(0, 22)}"`;
}
