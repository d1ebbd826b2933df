import { type Span, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { requireNoOpenTransaction } from "./open-transaction.ts";
import { inSpan } from "./span.ts";
import { toTraceMembers } from "./traceparent.ts";
import { currentTrail } from "./trail.ts";

/**
 * `fetch` for calls from one service to another: tells it the request id and the place in the trace, in a span of its own. Not for
 * calls to anybody outside: neither is their concern. An open transaction in the call chain is a bug: the connection would be held until
 * the answer comes (throws TransactionOpen in tests).
 */
export const tracedFetch: typeof fetch = async (input, init) => {
	requireNoOpenTransaction("send an HTTP request");
	const trail = currentTrail();
	if (trail === undefined) return fetch(input, init);
	const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
	const attributes = () => {
		const url = new URL(input instanceof Request ? input.url : input);
		return {
			"http.request.method": method,
			// Without its query, which may hold what is secret.
			"url.full": `${url.origin}${url.pathname}`,
			"server.address": url.hostname,
			"server.port": Number(url.port) || (url.protocol === "https:" ? 443 : 80),
		};
	};
	return inSpan({ name: method, kind: SpanKind.CLIENT, attributes }, async (span) => {
		const answer = await fetch(input, { ...init, headers: headersWithTrail(input, init) });
		noteAnswer(span, answer.status);
		return answer;
	});
};

/** A request that says by itself what it is about keeps saying so. */
function headersWithTrail(input: string | URL | Request, init: RequestInit | undefined): Headers {
	const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
	const trail = currentTrail();
	if (trail === undefined) return headers;
	const told = { "x-request-id": trail.correlationId, ...toTraceMembers(trail.at) };
	for (const [name, value] of Object.entries(told)) if (!headers.has(name)) headers.set(name, value);
	return headers;
}

function noteAnswer(span: Span | undefined, status: number): void {
	if (span === undefined) return;
	span.setAttribute("http.response.status_code", status);
	if (status < 400) return;
	span.setAttribute("error.type", String(status));
	span.setStatus({ code: SpanStatusCode.ERROR });
}
