import { networkOf } from "../request/network.ts";
import type { Step } from "../request/route.ts";
import { type Counting, countRequests, type RateLimit } from "./count-requests.ts";

/**
 * A page sends a preflight once in five minutes for each address that it calls, so this limit allows for
 * many pages behind one network address.
 */
const preflights: RateLimit = { requests: 3_000, windowSeconds: 60 };

/**
 * Limits preflights, which are answered before the pipeline runs. They have a separate limit, so that they
 * do not use up the limit of requests (decision 0024).
 */
export function limitPreflightsWith({
	now,
	shared,
	limit = preflights,
}: Counting & { limit?: RateLimit }): Step {
	const count = countRequests(limit, "preflights", { now, shared });
	return (request, reply) => (request.method === "OPTIONS" ? count(networkOf(request.ip), reply) : undefined);
}
