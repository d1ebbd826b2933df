import { isUnavailable, violatedConstraint } from "@lango/postgres";
import { KeySetUnavailable } from "@lango/tokens";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { LogRefusal } from "../observe/log-refusals.ts";
import { chassisFailures, Failure, type FailureKind, failureStatus } from "../request/failure.ts";
import { rulesOf } from "../request/route.ts";
import { failureOfFastify } from "./fastify-failures.ts";
import { invalidInput, isValidationError } from "./validation.ts";

type AnswerUnknownAddress = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Renders every error in one format. Returns the handler for unknown addresses. */
export function installFailures(app: FastifyInstance, logRefusal: LogRefusal): AnswerUnknownAddress {
	const answer = answerWith(logRefusal);
	const addresses: Array<{ method: string; pattern: RegExp }> = [];
	app.addHook("onRoute", ({ method, url }) => {
		if (url.endsWith("*")) return; // The catch-all route of preflights is not an address.
		const pattern = new RegExp(
			`^${url
				.replaceAll(/[.+()]/g, "\\$&")
				.replaceAll(/:[A-Za-z_]+/g, "[^/]+")
				.replace("*", ".*")}$`,
		);
		for (const one of [method].flat()) addresses.push({ method: one, pattern });
	});
	app.setErrorHandler((error, request, reply) =>
		answer(asFailure(error, request.routeOptions.bodyLimit), request, reply),
	);
	return (request, reply) => {
		const path = request.originalUrl.split("?")[0] ?? "/";
		const allow = addresses.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
		const failure =
			allow.length > 0
				? chassisFailures.method_not_allowed({ headers: { allow: [...new Set(allow)].join(", ") } })
				: chassisFailures.not_found();
		return answer(failure, request, reply);
	};
}

/** Renders an error that Fastify reports before it has found a route (`frameworkErrors`). */
export function answerUnroutedWith(logRefusal: LogRefusal) {
	const answer = answerWith(logRefusal);
	return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
		void answer(asFailure(error), request, reply.header("x-request-id", request.id));
	};
}

function answerWith(logRefusal: LogRefusal) {
	return (failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
		if (failure.kind === "internal") request.log.error({ err: failure.cause ?? failure }, "unexpected");
		else if (failure.cause !== undefined) logRefusal(failure, request);
		reply.code(failureStatus[failure.kind]).headers(headersOf(failure)).header("cache-control", "no-store");
		return reply.type("application/json").serializer(JSON.stringify).send(bodyOf(failure, request));
	};
}

function headersOf({ kind, headers }: Failure): Record<string, string> {
	if (kind === "unauthenticated") return { "www-authenticate": 'Bearer error="invalid_token"', ...headers };
	if (kind === "unavailable" || kind === "rate_limited") return { "retry-after": "5", ...headers };
	return headers;
}

/**
 * The error formats: that of the specification, with `upgrade` if a renewal would help, and that of RFC
 * 6749 at OAuth endpoints.
 */
function bodyOf(failure: Failure, request: FastifyRequest): Record<string, unknown> {
	const { code, message, fields, kind } = failure;
	if (rulesOf(request)?.failures === "oauth")
		return { error: oauthCode(failure), error_description: message, ...fields, request_id: request.id };
	const upgrade = kind === "subscription_inactive" ? { upgrade: true } : {};
	return { error: message, code, ...upgrade, ...fields, request_id: request.id };
}

function oauthCode({ kind, code }: Failure): string {
	return (
		oauthCodes[kind] ?? (code === "invalid_input" || code === "malformed_body" ? "invalid_request" : code)
	);
}

/**
 * The codes of RFC 6749 §5.2 and §4.1.2.1 for errors that are not specific to a grant; other kinds keep
 * their code.
 */
const oauthCodes: Partial<Record<FailureKind, string>> = {
	payload_too_large: "invalid_request",
	unsupported_media_type: "invalid_request",
	rate_limited: "temporarily_unavailable",
	internal: "server_error",
	unavailable: "temporarily_unavailable",
};

/**
 * Converts any thrown value to a failure. No other code does this. The text of a bug is not shown to the
 * caller.
 */
function asFailure(error: unknown, bodyLimit?: number): Failure {
	if (error instanceof Failure) return error;
	if (isValidationError(error)) return invalidInput(error);
	if (error instanceof KeySetUnavailable || isUnavailable(error) || isOvertaken(error))
		return chassisFailures.unavailable({ cause: error });
	return failureOfFastify(error, bodyLimit) ?? chassisFailures.internal({ cause: error });
}

/**
 * The tenant got another id, or the person was erased, before the request wrote. A retry reads the current
 * state.
 */
const isOvertaken = (error: unknown) => /__(tenant|user)_fkey$/.test(violatedConstraint(error) ?? "");
