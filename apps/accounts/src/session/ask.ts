import { createTraceHeaders } from "@lango/client";
import { Refusal, toRefusal } from "./refusal.ts";

/** Longer than the sign-on service lets a password check wait in its queue. */
const timeoutMilliseconds = 15_000;

/**
 * Asks a service and answers the JSON it gave, undefined for an answer without content. A refusal, a lost connection and an answer that is
 * late are thrown as a Refusal. Cookies go along, so that a sign-in leaves its session with the browser.
 */
export async function ask(address: string, request: RequestInit = {}): Promise<unknown> {
	const signal = AbortSignal.timeout(timeoutMilliseconds);
	const answer = await fetch(address, {
		credentials: "include",
		...request,
		signal,
		cache: "no-store",
	}).catch((cause: unknown) => {
		throw new Refusal("unreachable", { cause });
	});
	if (answer.status === 204) return undefined;
	const body: unknown = await answer.json().catch(() => undefined);
	if (!answer.ok || body === undefined) throw toRefusal(body, answer, Date.now());
	return body;
}

/** Asks for what is the same for everybody, without cookies; otherwise like `ask`. */
export function askPublic(address: string): Promise<unknown> {
	return ask(address, { credentials: "omit" });
}

/** Asks with a JSON body. */
export function post(address: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
	const headers = { "content-type": "application/json", ...createTraceHeaders() };
	return ask(address, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Asks with a form, as the token endpoint takes it (RFC 6749 §3.2). */
export function postForm(address: string, members: Readonly<Record<string, string>>): Promise<unknown> {
	const body = new URLSearchParams(members);
	return ask(address, { method: "POST", headers: createTraceHeaders(), body });
}
