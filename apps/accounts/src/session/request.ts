import { createTraceHeaders } from "@lango/client";
import { Refusal, toRefusal } from "./refusal.ts";

/** Longer than the sign-on service queues a password check. */
const timeoutMilliseconds = 15_000;

/**
 * Sends a request and returns the JSON of the response, undefined if it is empty. Sends cookies, so that a
 * sign-in can set the session cookie. Throws a Refusal.
 */
export async function request(address: string, init: RequestInit = {}): Promise<unknown> {
	const signal = AbortSignal.timeout(timeoutMilliseconds);
	const response = await fetch(address, {
		credentials: "include",
		...init,
		signal,
		cache: "no-store",
	}).catch((cause: unknown) => {
		throw new Refusal("unreachable", { cause });
	});
	if (response.status === 204) return undefined;
	const body: unknown = await response.json().catch(() => undefined);
	if (!response.ok || body === undefined) throw toRefusal(body, response, Date.now());
	return body;
}

/** Like `request`, without cookies, for public data. */
export function requestPublic(address: string): Promise<unknown> {
	return request(address, { credentials: "omit" });
}

/** Sends a POST request with a JSON body. */
export function post(address: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
	const headers = { "content-type": "application/json", ...createTraceHeaders() };
	return request(address, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Sends a POST request with a form, as the token endpoint requires (RFC 6749 §3.2). */
export function postForm(address: string, members: Readonly<Record<string, string>>): Promise<unknown> {
	const body = new URLSearchParams(members);
	return request(address, { method: "POST", headers: createTraceHeaders(), body });
}
