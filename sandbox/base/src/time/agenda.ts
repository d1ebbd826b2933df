import type { Clock } from "./clock.ts";
import { createHeap } from "./heap.ts";

/** Work that is due at times of the sandbox's clock, in memory. */
export type Agenda = {
	/**
	 * Calls `work` with the time at which it was due, once the clock has reached that time. Returns a function
	 * that cancels it.
	 */
	plan(at: Date, work: (at: Date) => void): () => void;
	/** Cancels all work. */
	clear(): void;
};

/** `work` is undefined once it is cancelled. `nth`: the order of planning. */
type Entry = { at: number; nth: number; work: ((at: Date) => void) | undefined };

const timerMaxMs = 2 ** 31 - 1;

/**
 * The agenda of a clock. If the clock is set to a later time, all work that has become due is done at once,
 * in the order of its times, including work that is planned meanwhile.
 */
export function createAgenda(clock: Clock): Agenda {
	/** In the order of their times; of equal times, in the order of planning. */
	const entries = createHeap<Entry>((one, other) => one.at - other.at || one.nth - other.nth);
	let planned = 0;
	let timer: NodeJS.Timeout | undefined;
	let isRunning = false;

	const first = () => {
		while (entries.first() !== undefined && entries.first()?.work === undefined) entries.take();
		return entries.first();
	};
	const isDue = (entry: Entry | undefined): entry is Entry =>
		entry !== undefined && entry.at <= clock.now().getTime();
	const runDue = () => {
		if (isRunning) return;
		isRunning = true;
		try {
			for (let next = first(); isDue(next); next = first()) {
				entries.take();
				next.work?.(new Date(next.at));
			}
		} finally {
			isRunning = false;
		}
		wait();
	};
	const wait = () => {
		clearTimeout(timer);
		const next = first();
		if (next === undefined || (clock.isSet() && !isDue(next))) return;
		const ms = next.at - clock.now().getTime();
		timer = setTimeout(runDue, Math.min(Math.max(0, ms), timerMaxMs));
	};
	clock.onSet(runDue);
	return {
		plan: (at, work) => {
			planned += 1;
			const entry: Entry = { at: at.getTime(), nth: planned, work };
			entries.add(entry);
			if (!isRunning) wait();
			return () => {
				entry.work = undefined;
			};
		},
		clear: () => {
			entries.clear();
			clearTimeout(timer);
		},
	};
}
