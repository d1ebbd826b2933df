import { callOf } from "@lango/chassis";

/** The actor, IP address, request id and time of a change, for its audit row and its events. */
export type Origin = { actorUserId: string | undefined; ip: string; requestId: string; now: Date };

/** The origin of a request's changes. It has no actor if the route requires no credential. */
export function originOf(request: Parameters<typeof callOf>[0], now: Date): Origin {
	const { caller } = callOf(request);
	return {
		actorUserId: caller?.kind === "user" ? caller.userId : undefined,
		ip: request.ip,
		requestId: request.id,
		now,
	};
}
