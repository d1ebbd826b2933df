import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { chassisFailures, type Failure } from "./failure.ts";
import type { Step } from "./route.ts";

/** A path parameter has at most this many characters, decoded. */
const parameterLengthMax = 200;

/**
 * An address without a route. A request whose path cannot be decoded is routed to it, so that it takes the
 * usual path.
 */
const unreadableAddress = "/.unreadable-path";
const unreadable = new WeakSet<IncomingMessage>();

/**
 * Fastify's `rewriteUrl`. Fastify answers a path that is not percent-encoded UTF-8 before any hook runs:
 * without a rate limit, a log line or the address behind a proxy. This marks such a request and routes it;
 * `requireReadablePath` refuses it.
 */
export function routeUnreadablePath(request: IncomingMessage): string {
	const { url = "/" } = request;
	if (!url.includes("%") || isDecodable(url.split(/[?#]/, 1)[0] ?? "")) return url;
	unreadable.add(request);
	return unreadableAddress;
}

function isDecodable(path: string): boolean {
	try {
		decodeURI(path);
		return true;
	} catch {
		return false;
	}
}

/**
 * The refusal of a path that cannot be decoded, or of a parameter that is too long; undefined for every
 * other request.
 */
export function pathRefusal({ raw, params }: FastifyRequest): Failure | undefined {
	if (unreadable.has(raw)) return unreadablePath();
	for (const name in params as Record<string, string>) {
		const value = (params as Record<string, string>)[name];
		if (value !== undefined && value.length > parameterLengthMax)
			return chassisFailures.invalid_input({
				message: `${name} is too long: a path parameter has at most ${parameterLengthMax} characters.`,
				fields: { field: name, in: "params" },
			});
	}
	return undefined;
}

/** 400 for a path that is not percent-encoded UTF-8. */
export const unreadablePath = () =>
	chassisFailures.invalid_input({
		message: "The path is not valid: it must be percent-encoded UTF-8.",
		fields: { field: "path", in: "path" },
	});

/** Refuses with 400 `invalid_input` a path that no route can read. Comes after the limit that counts it. */
export const requireReadablePath: Step = (request) => {
	const refusal = pathRefusal(request);
	if (refusal !== undefined) throw refusal;
};
