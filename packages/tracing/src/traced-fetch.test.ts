import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { startTestCollector, type TestCollector } from "@lango/testkit";
import { SpanKind } from "@opentelemetry/api";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
	openTracing,
	readTraceparent,
	runWithSpan,
	startRequestContext,
	type Tracing,
	tracedFetch,
	withoutRequestContext,
	withRequestContext,
} from "./index.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = readTraceparent(`00-${trace}-00f067aa0ba902b7-01`, "vendor=a");
const soon = { timeout: 4_000, interval: 20 };

let server: Server;
let url: string;
let received: IncomingHttpHeaders[] = [];
let collector: TestCollector;
let tracing: Tracing;

beforeAll(async () => {
	server = createServer(({ headers, url: path }, response) => {
		received.push(headers);
		response.writeHead(path?.startsWith("/refused") ? 404 : 200).end("{}");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	collector = await startTestCollector();
	tracing = await openTracing({
		url: `${collector.url}/v1/traces`,
		service: "till",
		sampler: "always_on",
		ratio: 1,
		timeoutMs: 1_000,
		delayMs: 10,
		queueMax: 100,
		onError: () => {},
	});
});
beforeEach(() => {
	received = [];
	collector.spans.length = 0;
});
afterAll(async () => {
	await tracing.close();
	await collector.close();
	server.closeAllConnections();
	server.close();
});

/** Starts a request context as for an incoming request. */
const begin = (isTraced: boolean) =>
	startRequestContext({
		correlationId: "till-7:42",
		tracer: isTraced ? tracing.tracer : undefined,
		parent,
		name: "POST /orders",
		kind: SpanKind.SERVER,
		attributes: () => ({}),
	});

test("outside a request context a request is sent without trace headers", async () => {
	await tracedFetch(url);
	await withRequestContext(begin(false), () => withoutRequestContext(() => tracedFetch(url)));
	for (const headers of received) {
		expect(headers).not.toHaveProperty("x-request-id");
		expect(headers).not.toHaveProperty("traceparent");
	}
	expect(received).toHaveLength(2);
});

test("without an exporter the request id and the received position in the trace are sent on", async () => {
	await withRequestContext(begin(false), () => tracedFetch(url));
	expect(received).toMatchObject([
		{
			"x-request-id": "till-7:42",
			traceparent: `00-${trace}-00f067aa0ba902b7-01`,
			tracestate: "vendor=a",
		},
	]);
});

test("headers that the caller sets are not replaced", async () => {
	const headers = { "x-request-id": "own", accept: "text/plain" };
	await withRequestContext(begin(false), () => tracedFetch(new Request(url, { headers })));
	await withRequestContext(begin(false), () => tracedFetch(new URL(url), { headers }));
	for (const sent of received) expect(sent).toMatchObject(headers);
	expect(received).toHaveLength(2);
});

test("a call has a span of its own, which is the parent of the called service's span; the query is not recorded", async () => {
	await runWithSpan(begin(true), async () => {
		await tracedFetch(`${url}/refused?code=hunter2`, { method: "post" });
	});
	await expect.poll(() => collector.spans.length, soon).toBe(2);
	const [call, request] = collector.spans;
	expect(call).toMatchObject({
		name: "POST",
		kind: 3,
		traceId: trace,
		parentSpanId: request?.spanId,
		status: 2,
		attributes: {
			"http.request.method": "POST",
			"url.full": `${url}/refused`,
			"server.address": "127.0.0.1",
			"server.port": Number(new URL(url).port),
			"http.response.status_code": 404,
			"error.type": "404",
		},
	});
	expect(received[0]?.["traceparent"]).toBe(`00-${trace}-${call?.spanId}-01`);
	expect(JSON.stringify(collector.spans)).not.toContain("hunter2");
});

test("a failed call records the kind of its error in the span, and the error is thrown unchanged", async () => {
	const gone = createServer();
	await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
	const { port } = gone.address() as AddressInfo;
	await new Promise((resolve) => gone.close(resolve));
	const calling = runWithSpan(begin(true), async () => {
		await tracedFetch(`http://127.0.0.1:${port}/`);
	});
	await expect(calling).rejects.toThrow(TypeError);
	await expect.poll(() => collector.spans.length, soon).toBe(2);
	expect(collector.spans[0]).toMatchObject({
		name: "GET",
		status: 2,
		attributes: { "server.port": port, "error.type": "ECONNREFUSED" },
	});
});
