import { callOf } from "@lango/chassis";

/** Who makes a change, from where and when: what its audit row and its events say of it. */
export type Origin = { actorUserId: string | undefined; ip: string; requestId: string; now: Date };

/** The origin of what a request changes; nobody's when it needs no credential. */
export function originOf(request: Parameters<typeof callOf>[0], now: Date): Origin {
	const { caller } = callOf(request);
	return {
		actorUserId: caller?.kind === "user" ? caller.userId : undefined,
		ip: request.ip,
		requestId: request.id,
		now,
	};
}
