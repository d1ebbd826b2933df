/**
 * Whether a browser may be sent to an address after signing out: it is on an origin that is registered
 * (spec §4.1, an allow-listed address). Parsed, never compared by prefix; user information in the address
 * is refused.
 */
export function isReturnAddress(target: string, origins: ReadonlySet<string>): boolean {
	const url = URL.parse(target);
	if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
	if (url.username !== "" || url.password !== "" || target.includes("\\")) return false;
	return origins.has(url.origin);
}
