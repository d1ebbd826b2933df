import type { Answer } from "./person.ts";

/** What was asked for, by what it is about: `outlet changed 0197…`. */
export type Ledger = {
	/** How often a change was answered as done. */
	done: ReadonlyMap<string, number>;
	/** How often nobody knows whether it was done: no answer came, or one that says nothing about it. */
	unknown: ReadonlyMap<string, number>;
	/** Answers that nobody should have got, whatever dies: refusals of what is right. */
	refused: string[];
	/** What was not answered as it should be, each with when. */
	failures: Array<{ what: string; at: number; told: string }>;
	/** Tokens of sessions that were signed out and must be refused; the newest twenty. */
	left: string[];
	/** Tokens of sessions that are still open; the newest twelve. */
	stayed: string[];
	/** Who chose the plan Starter last. */
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
			const told = `${status} ${JSON.stringify(body)}`;
			if (status >= 400 && status < 500) ledger.refused.push(`${what}: ${told}`);
			else add(unknown);
			ledger.failures.push({ what, at: Date.now(), told });
			return false;
		},
	};
	return ledger;
}
