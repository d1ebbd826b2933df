import type { Database } from "@lango/postgres";
import { recordKeyUses } from "./api-key.store.ts";

/** Collects the times of use of keys in memory and writes them in batches. */
export type KeyUses = {
	/** Records a use. Synchronous. */
	note(id: string): void;
	/** Writes the collected times. Throws the database's error; the times are kept for the next call. */
	flush(): Promise<void>;
};

/**
 * The interval of writes. A process writes a key at most once per interval, and all processes together once a
 * minute.
 */
export const keyUsesEverySeconds = 60;

const keysMax = 10_000;

/** Creates the collector, for at most 10,000 keys between two writes. */
export function createKeyUses({ db, now }: { db: Database; now: () => Date }): KeyUses {
	const used = new Map<string, Date>();
	return {
		note(id) {
			if (used.size < keysMax || used.has(id)) used.set(id, now());
		},
		async flush() {
			if (used.size === 0) return;
			const noted = [...used];
			used.clear();
			try {
				await recordKeyUses(db, noted);
			} catch (error) {
				for (const [id, at] of noted) if (!used.has(id)) used.set(id, at);
				throw error;
			}
		},
	};
}
