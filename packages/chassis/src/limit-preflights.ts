import type { FastifyInstance } from "fastify";
import { type Counting, countRequests, networkOf, type RateLimit } from "./count-requests.ts";

/** A page asks once in five minutes for each address it calls, so this is a crowd behind one network address. */
const preflights: RateLimit = { requests: 3_000, windowSeconds: 60 };

/**
 * Preflights are answered before the pipeline sees them, and so they have a limit of their own (decision 0024): what a
 * browser asks by itself takes nothing from what its person may ask.
 */
export function limitPreflights(
	app: FastifyInstance,
	{ now, shared, limit = preflights }: Counting & { limit?: RateLimit },
): void {
	const count = countRequests(limit, "preflights", { now, shared });
	app.addHook("onRequest", (request, reply, done) => {
		if (request.method !== "OPTIONS") return done();
		count(networkOf(request), reply).then(() => done(), done);
	});
}
