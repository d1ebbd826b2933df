import type { FastifyRequest } from "fastify";
import { addressOf, rulesOf } from "../request/route.ts";

/**
 * The path of a request for log lines and spans: without the query, which may contain codes. It is the
 * address of the route where the route declares that its path has a secret.
 */
export function loggedPath(request: FastifyRequest): string {
	if (rulesOf(request)?.secretPath === true) return addressOf(request) ?? "unknown";
	const { originalUrl } = request;
	const query = originalUrl.indexOf("?");
	return query === -1 ? originalUrl : originalUrl.slice(0, query);
}
