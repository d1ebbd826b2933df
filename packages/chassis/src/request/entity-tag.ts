import { hash } from "node:crypto";

/** The ETag of a body: a digest of it. */
export const entityTagOf = (body: string): string => `"${hash("sha256", body, "base64url").slice(0, 22)}"`;

/** Whether If-None-Match contains the tag (RFC 9110 §13.1.2): a list, compared weakly, or `*`. */
export function namesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	return ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}
