import { chassisFailures } from "@lango/chassis";
import { canonicalPermissions } from "@lango/contracts";
import { scopesSupported } from "./client.ts";

const placeholder = "/{tenant}/";
const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const permissionForm = /^[a-z]+(\.[a-z_]+){2}$/;

/**
 * Whether an address can be registered as a redirect address: absolute, in the form that a browser writes,
 * without fragment, user information or wildcard, and with TLS except for loopback. A custom scheme must
 * contain a dot (RFC 8252 §7.1). One path segment may be `{tenant}`.
 */
export function isRegistrable(uri: string): boolean {
	const plain = uri.replace(placeholder, "/t/");
	if (!/^[\x21-\x7e]+$/.test(uri) || /[\\{}*#]/.test(plain)) return false;
	const url = URL.parse(plain);
	if (url === null || url.username !== "" || url.password !== "") return false;
	if (url.href !== plain && url.href !== `${plain}/`) return false;
	// A slug in the place of the host would let every tenant choose a host.
	if (uri !== plain && !/^https?:\/\/[^/{}]+\//.test(uri)) return false;
	if (url.protocol === "https:") return true;
	if (url.protocol === "http:") return loopback.has(url.hostname);
	return url.protocol.includes(".") && uri === plain;
}

export type Rules = {
	isPublic: boolean;
	isPkceRequired: boolean;
	redirectUris: readonly string[];
	postLogoutRedirectUris: readonly string[];
	scopes: readonly string[];
	hasSecret: boolean;
};

/** Refuses a client with unsafe settings, naming the field. */
export function requireSafe(client: Rules): void {
	requireRegistrable("redirect_uris", client.redirectUris);
	requireRegistrable("post_logout_redirect_uris", client.postLogoutRedirectUris);
	if (client.isPublic && client.redirectUris.length === 0)
		throw unsafe("redirect_uris", "names at least one address: a public client has no other way");
	if (client.isPublic && client.hasSecret) throw unsafe("client_secret", "goes with a confidential client");
	if (client.isPublic && !client.isPkceRequired) throw unsafe("pkce_required", "is true for a public client");
	const at = client.scopes.findIndex((scope) => !isGrantable(scope, client.isPublic));
	if (at >= 0) throw unsafe(`scopes.${at}`, "is not a scope this client can have");
}

function requireRegistrable(field: string, uris: readonly string[]): void {
	const at = uris.findIndex((uri) => !isRegistrable(uri));
	if (at >= 0)
		throw unsafe(
			`${field}.${at}`,
			"is an absolute https address (http on localhost alone), without fragment, user information or wildcard",
		);
}

/**
 * Permission codes are for client credentials tokens, so a public client cannot have them. Programs cannot
 * administer the platform.
 */
function isGrantable(scope: string, isPublic: boolean): boolean {
	if ((scopesSupported as readonly string[]).includes(scope)) return true;
	if (isPublic || scope.startsWith("auth.")) return false;
	return (canonicalPermissions as readonly string[]).includes(scope) || permissionForm.test(scope);
}

const unsafe = (field: string, what: string) =>
	chassisFailures.invalid_input({ message: `${field} ${what}.`, fields: { field, in: "body" } });
