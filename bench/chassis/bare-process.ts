/**
 * The floor: the same route on Fastify and nothing else, with the chassis' headers as constants but for X-Request-ID, which is the
 * request's own by Fastify's own means. With `OBSERVED` it logs one line a request and measures each, as Fastify, pino and OpenTelemetry
 * describe it.
 */
import { ValueType } from "@opentelemetry/api";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import fastify, { LogController } from "fastify";
import { Thing, thing, thingRoute } from "./things.ts";

const { PORT, OBSERVED, HEADERS = "{}" } = process.env;
const { "x-request-id": _of, ...headers } = JSON.parse(HEADERS) as Record<string, string>;
const app = fastify({
	logger: OBSERVED === "yes",
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
app.get(thingRoute, { schema: { response: { 200: Thing } } }, async (request, reply) => {
	reply.header("x-request-id", request.id).headers(headers);
	return thing;
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.once("SIGTERM", () => process.exit(0));
