import { EventEmitter } from "node:events";
import { inProcessTransport } from "@lango/events";
import { createTestDatabase, startTestCollector, type TestCollector } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { type BuiltService, buildService } from "../src/index.ts";
import { defineShop, environmentOf } from "./shop.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";
const soon = { timeout: 15_000, interval: 20 };

const database = setUp(
	() => createTestDatabase({ name: "shop", sets: defineShop().migrations }),
	({ drop }) => drop(),
);

const opened: Array<() => Promise<void>> = [];
afterEach(async () => {
	for (const close of opened.splice(0).toReversed()) await close();
});

type Opened = { built: BuiltService; collector: TestCollector; lines: () => Array<Record<string, unknown>> };

/** The shop with its traces going to a collector of its own. */
async function open(environment: Record<string, string> = {}, { hangs = false } = {}): Promise<Opened> {
	const collector = await startTestCollector({ hangs });
	opened.push(collector.close);
	const transport = inProcessTransport();
	const logged: string[] = [];
	const built = await buildService(defineShop(new EventEmitter()), {
		transport,
		logTo: { write: (line) => void logged.push(line) },
		environment: {
			...environmentOf(database.url),
			OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
			OTEL_BSP_SCHEDULE_DELAY: "10",
			...environment,
		},
	});
	opened.push(async () => {
		await built.close();
		await transport.close();
	});
	return { built, collector, lines: () => logged.map((line) => JSON.parse(line)) };
}

const ask = ({ built }: Opened, headers: Record<string, string> = {}) =>
	built.app.inject({ url: "/orders/7", headers });
const names = ({ collector }: Opened) => collector.spans.map(({ name }) => name);

test("a span is named by method and route, and never by the path", async () => {
	const shop = await open({
		OTEL_SERVICE_NAME: "corner-shop",
		OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=a%20b",
	});
	await ask(shop, { traceparent: `00-${trace}-${span}-01`, "x-request-id": "r-7" });
	await expect
		.poll(() => shop.collector.spans, soon)
		.toMatchObject([
			{
				service: "corner-shop",
				name: "GET /orders/:id",
				traceId: trace,
				parentSpanId: span,
				attributes: {
					"http.route": "/orders/:id",
					"url.path": "/orders/7",
					"lango.request_id": "r-7",
					"http.response.status_code": 200,
				},
			},
		]);
	expect(shop.collector.headers["x-collector-key"]).toBe("a b");
});

test("a path with a secret is neither in a span nor in a log line: both have the address of the route", async () => {
	const shop = await open();
	const { statusCode } = await shop.built.app.inject({ url: "/letters/0f5b1c?seal=wax" });
	expect(statusCode).toBe(200);
	const path = "/letters/:token";
	await expect.poll(() => shop.collector.spans, soon).toMatchObject([{ attributes: { "url.path": path } }]);
	expect(shop.lines().filter(({ msg }) => msg === "request")).toMatchObject([{ path }]);
	expect(JSON.stringify([shop.lines(), shop.collector.spans])).not.toContain("0f5b1c");
});

test("a bug marks its span as an error, without its message; a failure does not", async () => {
	const shop = await open();
	for (const url of ["/bug", "/sold-out"]) await shop.built.app.inject({ url });
	await expect.poll(() => shop.collector.spans.length, soon).toBe(2);
	const [bug, refusal] = shop.collector.spans;
	expect(bug).toMatchObject({ status: 2, attributes: { "error.type": "500" } });
	expect(refusal).toMatchObject({ status: 0, attributes: { "http.response.status_code": 409 } });
	expect(JSON.stringify(shop.collector.spans)).not.toContain("hunter2");
});

test("the sampling decision of a caller is followed, that of a browser is not", async () => {
	const shop = await open({ OTEL_TRACES_SAMPLER: "parentbased_always_on" });
	await ask(shop, { traceparent: `00-${trace}-${span}-00` });
	await ask(shop, { traceparent: `00-${trace}-${span}-01` });
	const origin = "http://localhost:3001";
	await ask(shop, { traceparent: `00-${"a".repeat(32)}-${span}-00`, origin });
	await expect
		.poll(() => shop.collector.spans.map(({ traceId }) => traceId), soon)
		.toEqual([trace, "a".repeat(32)]);
});

test("with a sampling rate of 0, the decision of a recording caller is followed, that of a browser is not", async () => {
	const shop = await open({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" });
	await ask(shop);
	await ask(shop, { traceparent: `00-${"a".repeat(32)}-${span}-01`, origin: "http://localhost:3001" });
	await ask(shop, { traceparent: `00-${trace}-${span}-01` });
	await expect.poll(() => shop.collector.spans.map(({ traceId }) => traceId), soon).toEqual([trace]);
});

test.each([
	["of zeros", `00-${"0".repeat(32)}-${span}-01`],
	["of an invalid version", `ff-${trace}-${span}-01`],
	["with more than its version has", `00-${trace}-${span}-01-more`],
	["in capitals", `00-${trace.toUpperCase()}-${span}-01`],
	["cut short", `00-${trace}`],
	["far too long", `01-${trace}-${span}-01-${"x".repeat(1_000)}`],
])("a traceparent %s is ignored: the request is answered, in a trace of its own", async (_, traceparent) => {
	const shop = await open();
	expect((await ask(shop, { traceparent })).statusCode).toBe(200);
	await expect.poll(() => names(shop), soon).toEqual(["GET /orders/:id"]);
	const [own] = shop.collector.spans;
	expect(own?.parentSpanId).toBeUndefined();
	expect(own?.traceId).not.toBe(trace);
});

test("a later version of traceparent is read as far as it is known", async () => {
	const shop = await open();
	await ask(shop, { traceparent: `01-${trace}-${span}-01-more` });
	await expect.poll(() => shop.collector.spans.map(({ traceId }) => traceId), soon).toEqual([trace]);
});

test("health, readiness and metrics are in no trace", async () => {
	const shop = await open();
	for (const url of ["/healthz", "/readyz", "/metrics", "/orders/1"]) await shop.built.app.inject({ url });
	await expect.poll(() => names(shop), soon).toEqual(["GET /orders/:id"]);
});

test("a collector that does not respond delays neither requests nor the stop, and the queue is bounded", async () => {
	const shop = await open(
		{ OTEL_BSP_MAX_QUEUE_SIZE: "5", OTEL_EXPORTER_OTLP_TIMEOUT: "200" },
		{ hangs: true },
	);
	const began = performance.now();
	for (let n = 0; n < 50; n += 1) expect((await ask(shop)).statusCode).toBe(200);
	await expect.poll(() => shop.collector.asked, soon).toBeGreaterThan(0);
	await expect
		.poll(() => shop.lines().filter(({ msg }) => msg === "trace export failed").length, soon)
		.toBe(1);
	await opened.pop()?.();
	expect(performance.now() - began).toBeLessThan(4_500);
});

test("an unreachable collector is logged once", async () => {
	const shop = await open({
		OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
		OTEL_EXPORTER_OTLP_TIMEOUT: "100",
	});
	for (let n = 0; n < 3; n += 1) expect((await ask(shop)).statusCode).toBe(200);
	await expect
		.poll(() => shop.lines().filter(({ msg }) => msg === "trace export failed").length, soon)
		.toBe(1);
});

test("without a collector, or with tracing disabled, a service makes no spans and keeps the request's id", async () => {
	for (const off of [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, { OTEL_SDK_DISABLED: "true" }]) {
		const shop = await open(off);
		expect((await ask(shop, { "x-request-id": "r-1" })).headers["x-request-id"]).toBe("r-1");
		const line = shop.lines().find(({ msg }) => msg === "request");
		expect(line).toMatchObject({ reqId: "r-1" });
		expect(line).not.toHaveProperty("trace_id");
		await opened.pop()?.();
		expect(shop.collector.asked).toBe(0);
	}
});

test.each([
	["OTEL_TRACES_SAMPLER", "sometimes"],
	["OTEL_TRACES_SAMPLER_ARG", "1.5"],
	["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
])("%s that cannot be is refused by its name", async (name, value) => {
	await expect(open({ [name]: value })).rejects.toThrow(name);
});
