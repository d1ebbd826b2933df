import type { Database } from "@lango/postgres";
import { recordKeyUses } from "./api-key.store.ts";

/** When keys were used: gathered in memory, and written together. */
export type KeyUses = {
	/** Notes a use. Waits for nothing. */
	note(id: string): void;
	/** Writes what was noted since the last time. Throws what the database throws; what was noted is kept for the next time. */
	flush(): Promise<void>;
};

/** How often uses are written; a key is written at most once in this time by each process, and once a minute in all. */
export const keyUsesEverySeconds = 60;

const keysMax = 10_000;

/** Gathers the times at which keys were used, of at most 10,000 keys between two writes. */
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
