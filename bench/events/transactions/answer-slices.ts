import { type Mode, setMode } from "./record-by-mode.ts";

/** A request to a transaction process: run transactions for this time, this many at once. */
export type Slice = { mode: Mode; ms: number; lanes: number };
/** The number of transactions, their duration and their processor time, both in milliseconds. */
export type Sliced = { transactions: number; ms: number; processorMs: number };

type Transactions = {
	/**
	 * One transaction that records one event. `lane` is a small number that no other transaction in flight has.
	 */
	transact: (lane: number) => Promise<unknown>;
	/** Restores the rows that the transactions used up. The bench calls it after each slice, unmeasured. */
	restore?: () => Promise<void>;
};

/** Serves the bench over its channel, slice by slice, until the channel closes. An error ends the process. */
export function answerSlices({ transact, restore }: Transactions): void {
	process.on("message", async (asked: Slice | "restore") => {
		if (asked !== "restore") process.send?.(await run(asked, transact));
		else {
			await restore?.();
			process.send?.("ready");
		}
	});
	process.once("disconnect", () => process.exit());
	process.send?.("ready");
}

async function run({ mode, ms, lanes }: Slice, transact: Transactions["transact"]): Promise<Sliced> {
	setMode(mode);
	const usedBefore = process.cpuUsage();
	const startedAt = performance.now();
	let transactions = 0;
	const lane = async (number: number) => {
		for (; performance.now() - startedAt < ms; transactions += 1) await transact(number);
	};
	await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
	const took = performance.now() - startedAt;
	const { user, system } = process.cpuUsage(usedBefore);
	return { transactions, ms: took, processorMs: (user + system) / 1_000 };
}
