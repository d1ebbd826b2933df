import { type Span, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { requireNoOpenTransaction } from "./open-transaction.ts";
import { currentRequestContext } from "./request-context.ts";
import { inSpan } from "./span.ts";
import { toTraceMembers } from "./traceparent.ts";

/**
 * `fetch` for calls between our services: sends the request id and `traceparent` in a span of its own. Not
 * for third parties, which must not receive them. Throws TransactionOpen in tests if a transaction is open in
 * the call chain, because its connection would be blocked until the response arrives.
 */
export const tracedFetch: typeof fetch = async (input, init) => {
	requireNoOpenTransaction("send an HTTP request");
	const context = currentRequestContext();
	if (context === undefined) return fetch(input, init);
	const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
	const attributes = () => {
		const url = new URL(input instanceof Request ? input.url : input);
		return {
			"http.request.method": method,
			// Without the query, which may contain secrets.
			"url.full": `${url.origin}${url.pathname}`,
			"server.address": url.hostname,
			"server.port": Number(url.port) || (url.protocol === "https:" ? 443 : 80),
		};
	};
	return inSpan({ name: method, kind: SpanKind.CLIENT, attributes }, async (span) => {
		const response = await fetch(input, { ...init, headers: headersWithContext(input, init) });
		recordStatus(span, response.status);
		return response;
	});
};

/** Headers that the caller sets are not replaced. */
function headersWithContext(input: string | URL | Request, init: RequestInit | undefined): Headers {
	const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
	const context = currentRequestContext();
	if (context === undefined) return headers;
	const added = { "x-request-id": context.correlationId, ...toTraceMembers(context.at) };
	for (const [name, value] of Object.entries(added)) if (!headers.has(name)) headers.set(name, value);
	return headers;
}

function recordStatus(span: Span | undefined, status: number): void {
	if (span === undefined) return;
	span.setAttribute("http.response.status_code", status);
	if (status < 400) return;
	span.setAttribute("error.type", String(status));
	span.setStatus({ code: SpanStatusCode.ERROR });
}
