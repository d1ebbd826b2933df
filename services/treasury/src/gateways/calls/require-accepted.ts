import type { Accepted, Answer } from "./answer.ts";
import { gatewayFailures } from "./failures.ts";
import { notSent } from "./guard-calls.ts";

/** Refusals of the gateway's availability, and not of the request. */
const unavailable: ReadonlySet<string> = new Set([...Object.values(notSent), "token_unavailable"]);

/**
 * Returns an accepted answer of a call that moves no money. Throws `gateway_unavailable` if it is unknown
 * or was not sent, and `gateway_refused` with the gateway's code otherwise.
 */
export function requireAccepted<T>(answer: Answer<T>): Accepted<T> {
	if (answer.is === "accepted") return answer;
	if (answer.is === "unknown" || unavailable.has(answer.code)) throw gatewayFailures.gateway_unavailable();
	throw gatewayFailures.gateway_refused({ fields: { gateway_code: answer.code } });
}

/** Throws `gateway_refused` if so many entries of a list could not be read. Apply all others first. */
export function requireRead(unread: number): void {
	if (unread > 0) throw gatewayFailures.gateway_refused({ fields: { gateway_code: "unreadable" } });
}
