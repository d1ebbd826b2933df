import type { FastifyReply, FastifyRequest } from "fastify";
import type { Step } from "../request/route.ts";

export type CrossOriginOptions = {
	/** Further request headers that browsers may send, in addition to those of every service. */
	headers: readonly string[];
	isAllowed: (origin: string) => Promise<boolean>;
	/** Paths of GET routes that pages of every other origin may read, too, without credentials. */
	publicPaths: ReadonlySet<string>;
};

type Policy = { origin: string; hasCredentials: boolean; methods: string };

/**
 * Request headers that browsers may send to every service: tenant and outlet (payments text §4.5), request
 * id, and trace position (W3C Trace Context).
 */
const everywhere = ["X-Tenant-ID", "X-Outlet-ID", "X-Request-ID", "traceparent", "tracestate"];
const methods = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
/** Response headers that pages of other origins can read. */
const exposed = [
	"ETag",
	"Idempotency-Replayed",
	"Retry-After",
	"WWW-Authenticate",
	"X-Request-ID",
	"X-RateLimit-Limit",
	"X-RateLimit-Remaining",
	"X-RateLimit-Reset",
	"RateLimit-Limit",
	"RateLimit-Remaining",
	"RateLimit-Reset",
].join(", ");

/**
 * The cross-origin policy (payments text §4.5): sets the origins that may read responses, and answers
 * preflights. A preflight of an unknown origin gets 404. Public paths allow every origin (`*`), for reads
 * without credentials.
 */
export function crossOriginWith({ headers, isAllowed, publicPaths }: CrossOriginOptions): Step {
	const allowed = [...new Set([...headers, ...everywhere])].join(", ");
	const admit = (policy: Policy, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
		reply.headers({
			"access-control-allow-origin": policy.origin,
			...(policy.hasCredentials && { "access-control-allow-credentials": "true" }),
			"access-control-expose-headers": exposed,
		});
		if (request.method !== "OPTIONS") return undefined;
		return reply
			.code(204)
			.headers({
				"access-control-allow-methods": policy.methods,
				"access-control-allow-headers": allowed,
				"access-control-max-age": "300",
				"content-length": "0",
			})
			.send();
	};
	return (request, reply) => {
		reply.header("vary", "Origin");
		const { origin } = request.headers;
		if (origin === undefined) return undefined;
		return isAllowed(origin).then((is) => {
			if (is) admit({ origin, hasCredentials: true, methods }, request, reply);
			else if (publicPaths.has(request.url.split("?", 1)[0] ?? ""))
				admit({ origin: "*", hasCredentials: false, methods: "GET, HEAD" }, request, reply);
		});
	};
}
