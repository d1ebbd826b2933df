import { type Mode, tell } from "./record-as-told.ts";

/** What a ride's process is asked: transactions for so long, by so many at once. */
export type Slice = { mode: Mode; ms: number; lanes: number };
/** What it did, in how many milliseconds, and the processor time it took for all of it. */
export type Sliced = { transactions: number; ms: number; processorMs: number };

type Riding = {
	/** One transaction that records one event. `lane` is a small number no other transaction under way has. */
	transact: (lane: number) => Promise<unknown>;
	/** Brings back what the transactions used up; the bench asks for it after each slice and does not measure it. */
	restore?: () => Promise<void>;
};

/** Answers the bench over the channel to it, slice by slice, until the channel closes. An error ends the process. */
export function answerSlices({ transact, restore }: Riding): void {
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

async function run({ mode, ms, lanes }: Slice, transact: Riding["transact"]): Promise<Sliced> {
	tell(mode);
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
