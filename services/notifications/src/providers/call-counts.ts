import type { CallCount } from "./health.store.ts";

/** Counts calls to providers in memory, and writes the counts from time to time. */
export type CallCounts = {
	count(providerId: string, call: { hasFailed: boolean; isSlow: boolean }): void;
	/** Writes what was counted. */
	flush(): Promise<void>;
	stop(): Promise<void>;
};

const flushEveryMs = 10_000;
const minuteMs = 60_000;

/**
 * Creates the counts of a process. They are written every ten seconds and at the end. Counts that cannot be
 * written are kept; those of a killed process are lost, which the weights of providers tolerate.
 */
export function createCallCounts({
	write,
	now,
	onError,
}: {
	write: (counts: readonly CallCount[]) => Promise<void>;
	now: () => Date;
	onError: (error: unknown) => void;
}): CallCounts {
	let counts = new Map<string, CallCount>();
	const countIn = (into: Map<string, CallCount>, { providerId, minute, ...more }: CallCount) => {
		const key = `${providerId} ${minute.getTime()}`;
		const known = into.get(key) ?? { providerId, minute, sent: 0, errors: 0, slow: 0 };
		into.set(key, {
			...{ providerId, minute, sent: known.sent + more.sent },
			...{ errors: known.errors + more.errors, slow: known.slow + more.slow },
		});
	};
	const flush = async () => {
		if (counts.size === 0) return;
		const writing = counts;
		counts = new Map();
		try {
			await write([...writing.values()]);
		} catch (error) {
			for (const one of writing.values()) countIn(counts, one);
			onError(error);
		}
	};
	const timer = setInterval(() => void flush(), flushEveryMs);
	timer.unref();
	return {
		count(providerId, { hasFailed, isSlow }) {
			const minute = new Date(Math.floor(now().getTime() / minuteMs) * minuteMs);
			const [errors, sent] = hasFailed ? [1, 0] : [0, 1];
			countIn(counts, { providerId, minute, sent, errors, slow: isSlow ? 1 : 0 });
		},
		flush,
		async stop() {
			clearInterval(timer);
			await flush();
		},
	};
}
