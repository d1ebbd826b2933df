/**
 * The floor: the same route on bare Fastify. The headers of the chassis are constants, except X-Request-ID,
 * which Fastify sets. With `OBSERVED` it logs one line per request and measures its duration, as the
 * documentation of Fastify, pino and OpenTelemetry describes. With `HOOKED` it has the basis of any pipeline
 * and nothing in it: a logger per request, an asynchronous context, and empty hooks before reading, before
 * validation and after the response. With `LOOKS_UP` the first hook also does the look-ups of a pipeline in
 * the shortest way.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { ValueType } from "@opentelemetry/api";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import fastify, { LogController } from "fastify";
import { lookUpsBy } from "./bare-look-ups.ts";
import { Thing, thing, thingRoute } from "./things.ts";

const { PORT, OBSERVED, HEADERS = "{}", HOOKED, LOOKS_UP } = process.env;
const { "x-request-id": _of, ...headers } = JSON.parse(HEADERS) as Record<string, string>;
const app = fastify({
	logger: OBSERVED === "yes" || (HOOKED === "yes" && { level: "warn" }),
	logController: new LogController({ disableRequestLogging: true }),
	keepAliveTimeout: 72_000,
	requestIdHeader: "x-request-id",
});
if (OBSERVED === "yes") {
	const meter = new MeterProvider().getMeter("bare");
	const duration = meter.createHistogram("http.server.request.duration", {
		unit: "s",
		valueType: ValueType.DOUBLE,
		advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
	});
	app.addHook("onResponse", (request, reply, done) => {
		duration.record(reply.elapsedTime / 1_000, {
			"http.request.method": request.method,
			"http.route": request.routeOptions.url ?? "unknown",
			"http.response.status_code": reply.statusCode,
		});
		const line = {
			method: request.method,
			path: request.url.split("?")[0],
			status: reply.statusCode,
			ms: Math.round(reply.elapsedTime),
		};
		request.log.info(line, "request");
		done();
	});
}
if (HOOKED === "yes") {
	const contexts = new AsyncLocalStorage<object>();
	const isAdmitted = LOOKS_UP === "yes" ? lookUpsBy("stock.things.view") : () => true;
	app.addHook("onRequest", (request, reply, done) => {
		if (request.url.startsWith("/api") && !isAdmitted(request)) reply.code(401).send();
		else contexts.run({ id: request.id }, done);
	});
	app.addHook("preValidation", (_request, _reply, done) => done());
	if (OBSERVED !== "yes") app.addHook("onResponse", (_request, _reply, done) => done());
}
app.get(thingRoute, { schema: { response: { 200: Thing } } }, async (request, reply) => {
	reply.header("x-request-id", request.id).headers(headers);
	return thing;
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.once("SIGTERM", () => process.exit(0));
