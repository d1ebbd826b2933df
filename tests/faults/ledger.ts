import type { Answer } from "./person.ts";

/** The requests and their results; changes by key, for example `outlet changed 0197…`. */
export type Ledger = {
	/** How often a change was acknowledged. */
	done: ReadonlyMap<string, number>;
	/** How often the result is unknown: no response, or a server error. */
	unknown: ReadonlyMap<string, number>;
	/** Refusals of correct requests, which are wrong in any outage. */
	refused: string[];
	/** Requests that failed, with the time. */
	failures: Array<{ what: string; at: number; response: string }>;
	/** Tokens of sessions that were signed out and must be refused; the newest twenty. */
	left: string[];
	/** Tokens of sessions that are still open; the newest twelve. */
	stayed: string[];
	/** The address of the person who chose the plan Starter last. */
	subscribed: string | undefined;
	/** Notes what became of a request; `key` names a change. True when it was done. */
	note(what: string, answer: Answer, key?: string): boolean;
};

export function openLedger(): Ledger {
	const done = new Map<string, number>();
	const unknown = new Map<string, number>();
	const ledger: Ledger = {
		done,
		unknown,
		refused: [],
		failures: [],
		left: [],
		stayed: [],
		subscribed: undefined,
		note(what, { status, body }, key) {
			const isDone = status >= 200 && status < 400;
			const add = (to: Map<string, number>) => key !== undefined && to.set(key, (to.get(key) ?? 0) + 1);
			if (isDone) {
				add(done);
				return true;
			}
			const response = `${status} ${JSON.stringify(body)}`;
			if (status >= 400 && status < 500) ledger.refused.push(`${what}: ${response}`);
			else add(unknown);
			ledger.failures.push({ what, at: Date.now(), response });
			return false;
		},
	};
	return ledger;
}
