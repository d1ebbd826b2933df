import { type ClientConfig, type Request, resolveConfig, sendRequest } from "@lango/client";
import { currentLanguage } from "@lango/interface";

export const clientId = "auth-ui";

/** Sends cookies, so that a sign-in can set the session cookie. */
const fetchWithCookies: typeof fetch = (address, init) => fetch(address, { ...init, credentials: "include" });
/** The time limit is longer than the sign-on service queues a password check. */
const transport = { fetch: fetchWithCookies, now: () => Date.now(), timeoutMilliseconds: 15_000 };

/** The OAuth client of these pages. */
export const configOf = (authUrl: string): ClientConfig =>
	resolveConfig({ ...transport, authUrl, clientId, uiLocales: () => [currentLanguage()] });

/** Sends a request and returns the JSON of the response, undefined if it is empty. Throws ClientError. */
export const request = (address: string, options?: Request): Promise<unknown> =>
	sendRequest(transport, address, options && inLanguage(options));

/** A change can cause a mail, which is in the language of the page. A read stays without a preflight. */
function inLanguage(options: Request): Request {
	if (options.method === undefined || options.method === "GET") return options;
	return { ...options, headers: { "accept-language": currentLanguage(), ...options.headers } };
}

/** Like `request`, without cookies, for public data. */
export const requestPublic = (address: string): Promise<unknown> =>
	sendRequest({ ...transport, fetch: (...input) => fetch(...input) }, address);

/** Sends a POST request with a JSON body. Throws ClientError. */
export const post = (address: string, body: Readonly<Record<string, unknown>>): Promise<unknown> =>
	request(address, { method: "POST", body });
