import type { Clock } from "./clock.ts";

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

type Entry = { at: number; work: (at: Date) => void };

const timerMaxMs = 2 ** 31 - 1;

/**
 * The agenda of a clock. If the clock is set to a later time, all work that has become due is done at once,
 * in the order of its times, including work that is planned meanwhile.
 */
export function createAgenda(clock: Clock): Agenda {
	/** In the order of their times; of equal times, in the order of planning. */
	const entries: Entry[] = [];
	let timer: NodeJS.Timeout | undefined;
	let isRunning = false;

	const isDue = (entry: Entry | undefined): entry is Entry =>
		entry !== undefined && entry.at <= clock.now().getTime();
	const runDue = () => {
		if (isRunning) return;
		isRunning = true;
		try {
			for (let next = entries[0]; isDue(next); next = entries[0]) {
				entries.shift();
				next.work(new Date(next.at));
			}
		} finally {
			isRunning = false;
		}
		wait();
	};
	const wait = () => {
		clearTimeout(timer);
		const next = entries[0];
		if (next === undefined || (clock.isSet() && !isDue(next))) return;
		const ms = next.at - clock.now().getTime();
		timer = setTimeout(runDue, Math.min(Math.max(0, ms), timerMaxMs));
	};
	clock.onSet(runDue);
	return {
		plan: (at, work) => {
			const entry: Entry = { at: at.getTime(), work };
			entries.splice(entries.findLastIndex((other) => other.at <= entry.at) + 1, 0, entry);
			if (!isRunning) wait();
			return () => void (entries.includes(entry) && entries.splice(entries.indexOf(entry), 1));
		},
		clear: () => {
			entries.length = 0;
			clearTimeout(timer);
		},
	};
}
