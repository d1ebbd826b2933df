import { setTimeout as sleep } from "node:timers/promises";
import { TooMany } from "@lango/sandbox-base";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callFaults } from "../faults/fault-words.ts";
import type { Gateway } from "../gateway.ts";
import type { ApiRoute } from "./api-route.ts";
import { invalidKey, Refusal, toRefusalBody } from "./refusal.ts";

/** Longer than callers wait. */
const lateMs = 35_000;
const delayMs = 2_000;

type Api = {
	gateway: Gateway;
	routes: readonly ApiRoute[];
	/** The calls answer below each of them; `""` is the root. */
	prefixes: readonly string[];
	/** Resolves when the published events are answered. */
	answered: () => Promise<void>;
};

/** Serves the calls of the gateway. Every call needs the secret key, §5. */
export function installApi(app: FastifyInstance, api: Api): void {
	void app.register((scope, _options, done) => {
		scope.setErrorHandler(sendRefusal);
		for (const prefix of api.prefixes)
			for (const route of api.routes) installRoute(scope, api, { prefix, route });
		done();
	});
}

function installRoute(
	scope: FastifyInstance,
	{ gateway, answered }: Api,
	{ prefix, route }: { prefix: string; route: ApiRoute },
): void {
	const { operation, method, url, summary, body, query } = route;
	scope.route({
		method,
		url: `${prefix}${url}`,
		schema: {
			...{ summary, tags: ["calls"], security: [{ bearer: [] }], hide: prefix !== "" },
			...(body && { body }),
			...(query && { querystring: query }),
		},
		onRequest: async (request) => requireKey(gateway, request),
		handler: async (request, reply) => {
			if (await failBefore(gateway, operation, reply)) return reply;
			const call = { body: request.body, query: request.query, params: request.params as never };
			const { message, ...rest } = route.answer(gateway, call);
			const answer = { status: true, message, ...rest };
			const fault = gateway.takeFault(operation, ...callFaults.after);
			if (fault?.fault === "callback_before_ack") await answered();
			if (fault?.fault === "late_after_timeout") await sleep(fault.ms ?? lateMs, undefined, { ref: false });
			if (fault?.fault === "reset_after_commit") return reset(reply);
			if (fault?.fault === "http_500_after_commit") return reply.code(500).send(failure);
			return reply.code(route.status ?? 200).send(answer);
		},
	});
}

function requireKey({ settings }: Gateway, { headers }: FastifyRequest): void {
	if (headers.authorization !== `Bearer ${settings.secretKey}`) throw invalidKey();
}

const failure = { status: false, message: "An error occurred", type: "api_error", code: "unknown" };

/** Answers in place of the call, or delays it. Returns true if it was answered. */
async function failBefore(gateway: Gateway, operation: string, reply: FastifyReply): Promise<boolean> {
	const fault = gateway.takeFault(operation, ...callFaults.before);
	if (fault === undefined) return false;
	if (fault.fault === "delay") await sleep(fault.ms ?? delayMs, undefined, { ref: false });
	if (fault.fault === "drop") reset(reply);
	if (fault.fault === "maintenance")
		reply.code(503).send({ ...failure, message: "Service unavailable", code: "maintenance" });
	if (fault.fault === "quota")
		reply.code(429).send({ ...failure, message: "Too many requests", code: "rate_limited" });
	return fault.fault !== "delay";
}

function reset(reply: FastifyReply): FastifyReply {
	reply.hijack();
	reply.raw.socket?.resetAndDestroy();
	return reply;
}

/** Answers with an error in the gateway's words. */
export function sendRefusal(
	error: FastifyError,
	_request: FastifyRequest,
	reply: FastifyReply,
): FastifyReply {
	if (error instanceof Refusal) return reply.code(error.status).send(toRefusalBody(error));
	if (error instanceof TooMany) return reply.code(429).send({ ...failure, message: error.message });
	const status = error.statusCode ?? 500;
	if (status >= 500) {
		process.stderr.write(`${error.stack}\n`);
		return reply.code(500).send(failure);
	}
	const { message } = error;
	const nextStep = "Correct the parameter and try again";
	return reply.code(status).send(toRefusalBody({ message, code: "invalid_params", nextStep }));
}
