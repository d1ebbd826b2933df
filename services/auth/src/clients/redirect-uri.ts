import type { Client } from "./client.ts";

/**
 * How a requested address matches a registered one: exactly, or with the tenant in its `{tenant}` segment.
 */
export type RedirectMatch = { tenantSlug: string | undefined };

const placeholder = "/{tenant}/";
const slug = /^[a-z0-9-]{2,63}$/;
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?(\/.*)?$/;

/**
 * Whether a requested redirect address is one of the client's: by exact string (RFC 9700 §2.1), with two
 * exceptions. A registered path segment `{tenant}` matches one slug, and the caller must check that it
 * exists. A loopback address that a public client registered without a port matches every port (RFC 8252
 * §7.3), because a native app cannot choose its port. A confidential client is not a native app (§8.5), so
 * its addresses match exactly.
 */
export function matchRedirectUri(
	{ redirectUris, isPublic }: Pick<Client, "redirectUris" | "isPublic">,
	requested: string,
): RedirectMatch | undefined {
	if (redirectUris.includes(requested) && !requested.includes("{")) return { tenantSlug: undefined };
	for (const uri of redirectUris) {
		const tenantSlug = fillTenant(uri, requested);
		if (tenantSlug !== undefined) return { tenantSlug };
		if (isPublic && isSameLoopback(uri, requested)) return { tenantSlug: undefined };
	}
	return undefined;
}

function fillTenant(uri: string, requested: string): string | undefined {
	const at = uri.indexOf(placeholder);
	if (at < 0) return undefined;
	const before = uri.slice(0, at + 1);
	const after = uri.slice(at + placeholder.length - 1);
	if (!requested.startsWith(before) || !requested.endsWith(after)) return undefined;
	const filled = requested.slice(before.length, requested.length - after.length);
	return slug.test(filled) && `${before}${filled}${after}` === requested ? filled : undefined;
}

function isSameLoopback(uri: string, requested: string): boolean {
	const [, host, port, path = ""] = loopback.exec(uri) ?? [];
	const [, askedHost, askedPort, askedPath = ""] = loopback.exec(requested) ?? [];
	if (host === undefined || port !== undefined) return false;
	return (
		host === askedHost &&
		path === askedPath &&
		askedPort !== undefined &&
		Number(askedPort) > 0 &&
		Number(askedPort) <= 65_535
	);
}

/** The address as registered, with the members appended to its query (RFC 6749 §3.1.2). */
export function withMembers(address: string, members: Record<string, string>): string {
	const [, query] = address.split("?", 2);
	const joint = query === undefined ? "?" : query === "" || query.endsWith("&") ? "" : "&";
	return `${address}${joint}${new URLSearchParams(members)}`;
}
