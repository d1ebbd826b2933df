import { randomHex } from "./random-hex.ts";

/**
 * Headers that identify a request in logs and traces (W3C Trace Context). The request id is the trace id.
 * The browser records no spans; each service decides whether it samples.
 */
export function createTraceHeaders(): { "x-request-id": string; traceparent: string } {
	const trace = randomHex(16);
	return { "x-request-id": trace, traceparent: `00-${trace}-${randomHex(8)}-00` };
}
