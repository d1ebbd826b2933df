import { type Caller, callOf } from "../request/call.ts";
import { networkOf } from "../request/network.ts";
import type { Step } from "../request/route.ts";
import { countRequests } from "./count-requests.ts";
import type { RateLimits } from "./rate-limit.store.ts";
import type { SharedCounts } from "./shared-counts.ts";

export type RateLimitOptions = {
	/** The limits the service starts with. */
	limits: RateLimits;
	/** Reads the limits again. */
	reload: () => Promise<RateLimits>;
	now: () => Date;
	/** Where all processes count together, if anywhere. */
	shared?: SharedCounts | undefined;
	onTrouble: (error: unknown, about: string) => void;
};

/** The two steps that limit how often (spec §5.7): by address before anything else, by caller once it is known. */
export type RateLimitSteps = {
	limitByAddress: Step;
	limitByCaller: Step;
	/** Told what the database told of changes (its channel `domain_changed`): limits that changed are read again. */
	changed(message: string): void;
};

/** A changed limit counts this much later, at most, where its change was not heard of. */
const reloadMs = 30_000;

/** Makes both steps. Refuses with 429 and Retry-After; every answer tells the limit, what is left, and when it begins anew. */
export function limitRateWith({ limits, reload, now, shared, onTrouble }: RateLimitOptions): RateLimitSteps {
	const counterOf = (scope: keyof RateLimits, { [scope]: limit }: RateLimits) =>
		limit === undefined ? undefined : countRequests(limit, scope, { now, shared });
	let counters = { address: counterOf("address", limits), caller: counterOf("caller", limits) };
	let current = limits;
	let loadedAt = now().getTime();
	let readings = 0;

	/** What is counted so far stays counted unless its own limit changed. Of two readings the later one begun holds. */
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
			(error) => onTrouble(error, "the rate limits"),
		);
	};
	/** Behind the request that noticed. */
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

/** A caller is one object as long as their token is remembered. */
const names = new WeakMap<Caller, string>();

function nameOf(caller: Caller): string {
	const known = names.get(caller);
	if (known !== undefined) return known;
	const name = nameAnew(caller);
	names.set(caller, name);
	return name;
}

function nameAnew(caller: Caller): string {
	if (caller.kind === "user") return `user ${caller.userId}`;
	return caller.kind === "client" ? `client ${caller.clientId}` : `key ${caller.keyId}`;
}
