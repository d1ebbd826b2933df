import {
	BrokenCircuitError,
	BulkheadRejectedError,
	bulkhead,
	CircuitState,
	ConsecutiveBreaker,
	circuitBreaker,
	handleWhenResult,
} from "cockatiel";
import { LRUCache } from "lru-cache";
import type { Outcome } from "../provider.ts";
import type { StoredAccount } from "./account.store.ts";
import { findAdapter } from "./adapters.ts";

/** Guards the calls to one provider: a breaker, and a limit of calls at once. */
export type CallGuard = {
	/** Whether calls are let through; false for ten seconds after five failures in a row. */
	isClosed(): boolean;
	/**
	 * Calls, or refuses without a call if the breaker is open or too many calls are in progress. `begin` runs
	 * just before the call starts; it can postpone the call.
	 */
	call(send: () => Promise<Outcome>, begin?: () => Promise<Postponed | undefined>): Promise<Ending>;
	/** How many calls it takes now without a refusal. */
	room(): number;
};

/**
 * The provider was not called: its pace is used up, or this process stops. The call is due again after a
 * time.
 */
type Postponed = { is: "postponed"; afterMs: number };
/** What became of a call that was to be made. */
export type Ending = Outcome | Postponed;

const failuresInARow = 5;
const halfOpenAfterMs = 10_000;

/**
 * The provider did not answer, or could not be reached. A refusal of a message says nothing about the
 * provider.
 */
export const hasFailed = (outcome: unknown): boolean => {
	const { is, ...more } = outcome as Outcome;
	return is === "unknown" || (is === "refused" && "isUnreachable" in more && !("afterSeconds" in more));
};

const notCalled = (code: string): Outcome => ({
	...{ is: "refused", mayRetry: true, code, isUnreachable: true },
});

/**
 * Creates a guard. `inFlightMax` calls run at once and as many wait, so that no call begins after the lease
 * of its delivery; undefined: the adapter's connection limits them itself.
 */
export function createCallGuard(inFlightMax: number | undefined): CallGuard {
	let openedAt = 0;
	const breaker = circuitBreaker(handleWhenResult(hasFailed), {
		halfOpenAfter: halfOpenAfterMs,
		breaker: new ConsecutiveBreaker(failuresInARow),
	});
	breaker.onBreak(() => {
		openedAt = Date.now();
	});
	const limit = inFlightMax === undefined ? undefined : bulkhead(inFlightMax, inFlightMax);
	return {
		isClosed: () => breaker.state !== CircuitState.Open || Date.now() - openedAt >= halfOpenAfterMs,
		room: () => (limit === undefined ? Number.POSITIVE_INFINITY : limit.executionSlots + limit.queueSlots),
		async call(send, begin = async () => undefined) {
			try {
				const guarded = async (): Promise<Ending> => (await begin()) ?? breaker.execute(send);
				return await (limit === undefined ? guarded() : limit.execute(guarded));
			} catch (error) {
				if (error instanceof BrokenCircuitError) return notCalled("provider_down");
				if (error instanceof BulkheadRejectedError) return notCalled("provider_busy");
				throw error;
			}
		},
	};
}

const guardsMax = 5_000;

/** Returns the guard of an account, which is kept while its limit of calls stays. */
export function createCallGuards(): (account: StoredAccount) => CallGuard {
	const guards = new LRUCache<string, CallGuard>({ max: guardsMax });
	return ({ id, kind, inFlightMax }) => {
		const key = `${id} ${inFlightMax}`;
		const known = guards.get(key);
		if (known !== undefined) return known;
		const guard = createCallGuard(findAdapter(kind)?.connect === undefined ? inFlightMax : undefined);
		guards.set(key, guard);
		return guard;
	};
}
