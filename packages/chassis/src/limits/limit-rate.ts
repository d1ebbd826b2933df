import { type Caller, callOf } from "../request/call.ts";
import { networkOf } from "../request/network.ts";
import type { Step } from "../request/route.ts";
import { countRequests } from "./count-requests.ts";
import type { RateLimits } from "./rate-limit.store.ts";
import type { SharedCounts } from "./shared-counts.ts";

export type RateLimitOptions = {
	/** The limits at the start. */
	limits: RateLimits;
	/** Reads the current limits. */
	reload: () => Promise<RateLimits>;
	now: () => Date;
	/** The shared counts of all processes, if configured. */
	shared?: SharedCounts | undefined;
	onError: (error: unknown, about: string) => void;
};

/** The two steps that limit the rate (spec §5.7): by address first, and by caller after authentication. */
export type RateLimitSteps = {
	limitByAddress: Step;
	limitByCaller: Step;
	/** Receives the messages of the database channel `domain_changed` and reloads changed limits. */
	changed(message: string): void;
};

/** Maximum delay before a changed limit applies if the notification of the change was lost. */
const reloadMs = 30_000;

/**
 * Creates both steps. They refuse with 429 and Retry-After. The headers of every response state the limit,
 * what remains, and when the window ends.
 */
export function limitRateWith({ limits, reload, now, shared, onError }: RateLimitOptions): RateLimitSteps {
	const counterOf = (scope: keyof RateLimits, { [scope]: limit }: RateLimits) =>
		limit === undefined ? undefined : countRequests(limit, scope, { now, shared });
	let counters = { address: counterOf("address", limits), caller: counterOf("caller", limits) };
	let current = limits;
	let loadedAt = now().getTime();
	let readings = 0;

	/**
	 * Keeps the counts of limits that did not change. Of two concurrent reloads, the one that began later wins.
	 */
	const readAgain = () => {
		loadedAt = now().getTime();
		readings += 1;
		const own = readings;
		reload().then(
			(next) => {
				if (own !== readings) return;
				const renew = (scope: keyof RateLimits) =>
					isSame(next[scope], current[scope]) ? counters[scope] : counterOf(scope, next);
				counters = { address: renew("address"), caller: renew("caller") };
				current = next;
			},
			(error) => onError(error, "the rate limits"),
		);
	};
	/** In the background of the request that noticed it. */
	const noticeAge = () => {
		if (now().getTime() - loadedAt >= reloadMs) readAgain();
	};
	return {
		limitByAddress(request, reply) {
			noticeAge();
			return counters.address?.(networkOf(request.ip), reply);
		},
		limitByCaller(request, reply) {
			const { caller } = callOf(request);
			return caller === undefined ? undefined : counters.caller?.(nameOf(caller), reply);
		},
		changed(message) {
			if (message === "limits") readAgain();
		},
	};
}

const isSame = (left: RateLimits["address"], right: RateLimits["address"]) =>
	left?.requests === right?.requests && left?.windowSeconds === right?.windowSeconds;

function nameOf(caller: Caller): string {
	if (caller.kind === "user") return `user ${caller.userId}`;
	return caller.kind === "client" ? `client ${caller.clientId}` : `key ${caller.keyId}`;
}
