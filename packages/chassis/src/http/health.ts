import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import { addressesIn } from "../limits/connections.ts";
import type { Metrics } from "../observe/observe.ts";
import { bearerOf } from "../request/call.ts";
import { chassisFailures } from "../request/failure.ts";
import type { Secret } from "../settings/settings.ts";

/**
 * The dependencies of a service. Each check rejects while its dependency is unavailable. Without a vital
 * one the service is not ready.
 */
export type ReadinessChecks = Map<string, { check: () => Promise<void>; isVital: boolean }>;

type Health = { checks: ReadinessChecks; metrics: Metrics; metricsToken: Secret | undefined };

const checkMs = 2_000;

/**
 * `GET /healthz` (alive), `GET /readyz` (ready, and the failed checks), `GET /metrics` (for Prometheus).
 */
export function installHealth(app: FastifyInstance, { checks, metrics, metricsToken }: Health): void {
	const requireReader = requireReaderWith(metricsToken);
	const answer = Type.Object({
		status: Type.String(),
		checks: Type.Optional(Type.Record(Type.String(), Type.String())),
	});
	const hide = { tags: ["operation"] };
	const inFlight = new Map<() => Promise<void>, Promise<void>>();
	/**
	 * Concurrent requests share one run of a check, so that many requests use no more connections than one.
	 */
	const once = (check: () => Promise<void>) => {
		const begun = inFlight.get(check) ?? check().finally(() => inFlight.delete(check));
		inFlight.set(check, begun);
		return begun;
	};
	app.get(
		"/healthz",
		{ schema: { ...hide, summary: "Whether the process is alive", response: { 200: answer } } },
		() => ({ status: "ok" }),
	);
	app.get(
		"/readyz",
		{
			schema: {
				...hide,
				summary: "Whether it can work, and what it lacks",
				response: { 200: answer, 503: answer },
			},
		},
		async (request, reply) => {
			const results = await Promise.all(
				[...checks].map(async ([name, { check, isVital }]) => ({
					name,
					isVital,
					result: await outcome(
						() => once(check),
						(error) => {
							request.log.warn({ err: error, check: name }, "not ready");
						},
					),
				})),
			);
			const missing = results.filter(({ result }) => result !== "ok");
			const isReady = !missing.some(({ isVital }) => isVital);
			const status = missing.length === 0 ? "ok" : isReady ? "degraded" : "unavailable";
			return reply
				.code(isReady ? 200 : 503)
				.send({ status, checks: Object.fromEntries(results.map(({ name, result }) => [name, result])) });
		},
	);
	app.get(
		"/metrics",
		{
			schema: {
				...hide,
				summary: "Measurements for Prometheus: with METRICS_TOKEN as bearer token, or on the same machine",
			},
			onRequest: async (request) => requireReader(request),
		},
		async (_request, reply) =>
			reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics.read()),
	);
}

/** Refuses with 401 a request without the token or, if no token is set, a request from another machine. */
function requireReaderWith(token: Secret | undefined): (request: FastifyRequest) => void {
	const expected = token && digest(token.reveal());
	return (request) => {
		const given = bearerOf(request);
		const mayRead =
			expected === undefined
				? isFromHere(request)
				: given !== undefined && timingSafeEqual(digest(given), expected);
		if (!mayRead)
			throw chassisFailures.token_invalid({
				message: "Measurements need the bearer token of the setting METRICS_TOKEN.",
			});
	};
}

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Headers that proxies add to a request, besides `X-Forwarded-…`. */
const proxyHeaders: ReadonlySet<string> = new Set([
	"forwarded",
	"via",
	"x-real-ip",
	"x-client-ip",
	"true-client-ip",
]);
const isProxyHeader = (name: string) => name.startsWith("x-forwarded-") || proxyHeaders.has(name);

/** A connection from this machine that no proxy has forwarded. */
const isFromHere = ({ raw, headers }: FastifyRequest): boolean =>
	isLoopback(raw.socket.remoteAddress ?? "") && !Object.keys(headers).some(isProxyHeader);

const isLoopback = addressesIn(["loopback"]);

/** Runs a check. The reason of a failure goes to the log; the response names only the failed part. */
async function outcome(
	check: () => Promise<void>,
	onFailed: (error: unknown) => void,
): Promise<"ok" | "unavailable"> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error("no answer in time")), checkMs);
	});
	try {
		await Promise.race([check(), late]);
		return "ok";
	} catch (error) {
		onFailed(error);
		return "unavailable";
	} finally {
		clearTimeout(timer);
	}
}
