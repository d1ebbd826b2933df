import { networkOf } from "../request/network.ts";
import { pathRefusal } from "../request/readable-path.ts";
import { addressOf, isOperation, rulesOf, type Step } from "../request/route.ts";
import { type Counting, countRequests, type RateLimit } from "./count-requests.ts";

/** A person who reads the reference, or a program with a wrong address, needs far fewer. */
const unrouted: RateLimit = { requests: 600, windowSeconds: 60 };

/**
 * Limits requests by network address that no limit of a service counts: addresses without a route,
 * unreadable paths, the reference (`/docs`, `/openapi.json`) and `/metrics`. Refuses with 429
 * `rate_limited`. Probes are not counted.
 */
export function limitUnroutedWith({ now, shared, limit = unrouted }: Counting & { limit?: RateLimit }): Step {
	const count = countRequests(limit, "unrouted", { now, shared });
	return (request, reply) => {
		const address = addressOf(request);
		const isProbe = isOperation(address) && address !== "/metrics";
		if ((rulesOf(request) !== undefined || isProbe) && pathRefusal(request) === undefined) return undefined;
		return count(networkOf(request.ip), reply);
	};
}
