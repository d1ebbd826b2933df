/**
 * Whether a browser may be sent to an address after signing out: it is on the origin of one that is registered
 * (spec §4.1, an allow-listed address). Parsed, never compared by prefix; user information in the address is refused.
 */
export function isReturnAddress(target: string, registered: readonly string[]): boolean {
	const url = parse(target);
	if (url === undefined || url.username !== "" || url.password !== "" || target.includes("\\")) return false;
	return registered.some((uri) => parse(uri.replace("/{tenant}/", "/t/"))?.origin === url.origin);
}

function parse(text: string): URL | undefined {
	const url = URL.parse(text);
	return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : undefined;
}
