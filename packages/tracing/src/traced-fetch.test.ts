import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { startTestCollector, type TestCollector } from "@lango/testkit";
import { SpanKind } from "@opentelemetry/api";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
	beginTrail,
	followTrail,
	offTrail,
	onTrail,
	openTracing,
	readTraceparent,
	type Tracing,
	tracedFetch,
} from "./index.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = readTraceparent(`00-${trace}-00f067aa0ba902b7-01`, "vendor=a");
const soon = { timeout: 4_000, interval: 20 };

let server: Server;
let url: string;
let heard: IncomingHttpHeaders[] = [];
let collector: TestCollector;
let tracing: Tracing;

beforeAll(async () => {
	server = createServer(({ headers, url: path }, response) => {
		heard.push(headers);
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
		onTrouble: () => {},
	});
});
beforeEach(() => {
	heard = [];
	collector.spans.length = 0;
});
afterAll(async () => {
	await tracing.close();
	await collector.close();
	server.closeAllConnections();
	server.close();
});

/** Begins a trail as a request of a till would. */
const begin = (isTraced: boolean) =>
	beginTrail({
		correlationId: "till-7:42",
		tracer: isTraced ? tracing.tracer : undefined,
		parent,
		name: "POST /orders",
		kind: SpanKind.SERVER,
		attributes: () => ({}),
	});

test("what belongs to nothing is asked for as it is", async () => {
	await tracedFetch(url);
	await onTrail(begin(false), () => offTrail(() => tracedFetch(url)));
	for (const headers of heard) {
		expect(headers).not.toHaveProperty("x-request-id");
		expect(headers).not.toHaveProperty("traceparent");
	}
	expect(heard).toHaveLength(2);
});

test("where nothing is exported the request's id and the place it came from are told all the same", async () => {
	await onTrail(begin(false), () => tracedFetch(url));
	expect(heard).toMatchObject([
		{
			"x-request-id": "till-7:42",
			traceparent: `00-${trace}-00f067aa0ba902b7-01`,
			tracestate: "vendor=a",
		},
	]);
});

test("a request that says by itself what it is about keeps saying so", async () => {
	const headers = { "x-request-id": "own", accept: "text/plain" };
	await onTrail(begin(false), () => tracedFetch(new Request(url, { headers })));
	await onTrail(begin(false), () => tracedFetch(new URL(url), { headers }));
	for (const told of heard) expect(told).toMatchObject(headers);
	expect(heard).toHaveLength(2);
});

test("a call has a span of its own, which is where the called one stands; its query is not told", async () => {
	await followTrail(begin(true), async () => {
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
	expect(heard[0]?.["traceparent"]).toBe(`00-${trace}-${call?.spanId}-01`);
	expect(JSON.stringify(collector.spans)).not.toContain("hunter2");
});

test("a call that fails says the kind of the failure in its span, and is thrown as it is", async () => {
	const gone = createServer();
	await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
	const { port } = gone.address() as AddressInfo;
	await new Promise((resolve) => gone.close(resolve));
	const calling = followTrail(begin(true), async () => {
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
