import { hash, randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { type Caller, callOf } from "../../call.ts";
import { chassisFailures } from "../../failure.ts";
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
const operation: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz", "/metrics"]);

/** Makes both steps. Refuses with 429 and Retry-After; every answer tells the limit, what is left, and when it begins anew. */
export function limitRateWith({ limits, reload, now, onTrouble }: RateLimitOptions): RateLimitSteps {
	let limiters = { address: limiterOf(limits.address), caller: limiterOf(limits.caller) };
	let current = limits;
	let loadedAt = now().getTime();

	/** Behind the request that noticed: what is counted so far stays counted unless its own limit changed. */
	const noticeAge = () => {
		if (now().getTime() - loadedAt < reloadMs) return;
		loadedAt = now().getTime();
		reload().then(
			(next) => {
				const renew = (scope: keyof RateLimits) =>
					isSame(next[scope], current[scope]) ? limiters[scope] : limiterOf(next[scope]);
				limiters = { address: renew("address"), caller: renew("caller") };
				current = next;
			},
			(error) => onTrouble(error, "the rate limits"),
		);
	};
	return {
		async limitByAddress(request, reply) {
			noticeAge();
			if (!operation.has(request.routeOptions.url))
				await consume(limiters.address, networkOf(request), reply);
		},
		async limitByCaller(request, reply) {
			const { caller } = callOf(request);
			if (caller !== undefined) await consume(limiters.caller, nameOf(caller), reply);
		},
	};
}

const isSame = (left: RateLimits["address"], right: RateLimits["address"]) =>
	left.requests === right.requests && left.windowSeconds === right.windowSeconds;

const limiterOf = ({ requests, windowSeconds }: RateLimits["address"]) =>
	new RateLimiterMemory({ points: requests, duration: windowSeconds });

/**
 * Who is counted goes into one of 65,536 counters, by a hash nobody outside can foretell: so the memory is bounded
 * whatever is sent, at the price that two strangers may rarely share a counter.
 */
const salt = randomBytes(16).toString("base64");
const counterOf = (name: string) => hash("sha1", salt + name, "hex").slice(0, 4);

/** One IPv6 customer has a whole /64, so that is what is counted. */
function networkOf({ ip }: FastifyRequest): string {
	if (!isIPv6(ip)) return ip;
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
	if (mapped !== undefined) return mapped;
	const [head = "", tail] = ip.toLowerCase().split("::");
	const before = head === "" ? [] : head.split(":");
	const after = tail === undefined || tail === "" ? [] : tail.split(":");
	const groups =
		tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
	return groups.slice(0, 4).join(":");
}

function nameOf(caller: Caller): string {
	if (caller.kind === "user") return `user ${caller.userId}`;
	return caller.kind === "client" ? `client ${caller.clientId}` : `key ${caller.keyId}`;
}

async function consume(limiter: RateLimiterMemory, name: string, reply: FastifyReply): Promise<void> {
	try {
		tell(reply, limiter.points, await limiter.consume(counterOf(name)));
	} catch (refused) {
		if (!(refused instanceof RateLimiterRes)) throw refused;
		tell(reply, limiter.points, refused);
		throw chassisFailures.rate_limited({ headers: { "retry-after": String(secondsUntilReset(refused)) } });
	}
}

const secondsUntilReset = ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1_000));

/** X-RateLimit-Reset is a moment in Unix seconds, RateLimit-Reset the seconds until it. */
function tell(reply: FastifyReply, limit: number, result: RateLimiterRes): void {
	const seconds = secondsUntilReset(result);
	reply.headers({
		"x-ratelimit-limit": limit,
		"x-ratelimit-remaining": result.remainingPoints,
		"x-ratelimit-reset": Math.ceil(Date.now() / 1_000) + seconds,
		"ratelimit-limit": limit,
		"ratelimit-remaining": result.remainingPoints,
		"ratelimit-reset": seconds,
	});
}
