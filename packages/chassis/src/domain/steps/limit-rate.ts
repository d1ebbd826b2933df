import { type Caller, callOf } from "../../call.ts";
import { countRequests, networkOf } from "../../count-requests.ts";
import type { Step } from "../../route.ts";
import type { RateLimits } from "./rate-limit.store.ts";

export type RateLimitOptions = {
	/** The limits the service starts with. */
	limits: RateLimits;
	/** Reads the limits again. */
	reload: () => Promise<RateLimits>;
	now: () => Date;
	onTrouble: (error: unknown, about: string) => void;
};

/** The two steps that limit how often (spec §5.7): by address before anything else, by caller once it is known. */
export type RateLimitSteps = { limitByAddress: Step; limitByCaller: Step };

/** A changed limit counts this much later, at most. */
const reloadMs = 30_000;

/** Makes both steps. Refuses with 429 and Retry-After; every answer tells the limit, what is left, and when it begins anew. */
export function limitRateWith({ limits, reload, now, onTrouble }: RateLimitOptions): RateLimitSteps {
	const counterOf = (limit: RateLimits["address"]) =>
		limit === undefined ? undefined : countRequests(limit, now);
	let counters = { address: counterOf(limits.address), caller: counterOf(limits.caller) };
	let current = limits;
	let loadedAt = now().getTime();

	/** Behind the request that noticed: what is counted so far stays counted unless its own limit changed. */
	const noticeAge = () => {
		if (now().getTime() - loadedAt < reloadMs) return;
		loadedAt = now().getTime();
		reload().then(
			(next) => {
				const renew = (scope: keyof RateLimits) =>
					isSame(next[scope], current[scope]) ? counters[scope] : counterOf(next[scope]);
				counters = { address: renew("address"), caller: renew("caller") };
				current = next;
			},
			(error) => onTrouble(error, "the rate limits"),
		);
	};
	return {
		limitByAddress(request, reply) {
			noticeAge();
			return counters.address?.(networkOf(request), reply);
		},
		limitByCaller(request, reply) {
			const { caller } = callOf(request);
			if (caller !== undefined) return counters.caller?.(nameOf(caller), reply);
		},
	};
}

const isSame = (left: RateLimits["address"], right: RateLimits["address"]) =>
	left?.requests === right?.requests && left?.windowSeconds === right?.windowSeconds;

function nameOf(caller: Caller): string {
	if (caller.kind === "user") return `user ${caller.userId}`;
	return caller.kind === "client" ? `client ${caller.clientId}` : `key ${caller.keyId}`;
}
