import { networkOf } from "../request/network.ts";
import type { Step } from "../request/route.ts";
import { type Counting, countRequests, type RateLimit } from "./count-requests.ts";

/**
 * A page asks once in five minutes for each address it calls, so this is a crowd behind one network
 * address.
 */
const preflights: RateLimit = { requests: 3_000, windowSeconds: 60 };

/**
 * Preflights are answered before the pipeline sees them, and so they have a limit of their own (decision
 * 0024): what a browser asks by itself takes nothing from what its person may ask.
 */
export function limitPreflightsWith({
	now,
	shared,
	limit = preflights,
}: Counting & { limit?: RateLimit }): Step {
	const count = countRequests(limit, "preflights", { now, shared });
	return (request, reply) => (request.method === "OPTIONS" ? count(networkOf(request.ip), reply) : undefined);
}
