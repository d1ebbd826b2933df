import { randomHex } from "../random-hex.ts";

/**
 * By what a request is found again in logs and traces: its id, which is that of its trace, too (W3C Trace Context). Nothing is
 * recorded here, and the services decide for themselves whether they do.
 */
export function createTraceHeaders(): { "x-request-id": string; traceparent: string } {
	const trace = randomHex(16);
	return { "x-request-id": trace, traceparent: `00-${trace}-${randomHex(8)}-00` };
}
