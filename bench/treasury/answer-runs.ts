import { quantile } from "../figures.ts";

/** A run: transactions of these tenants in turn, on so many connections at once. */
export type Run = { tenants: readonly string[]; connections: number; seconds: number };
/** What a process did in a run; durations in milliseconds. */
export type Ran = { transactions: number; ms: number; p50: number; p95: number };
export type RunAnswer = { result: Ran } | { error: string };

/**
 * Answers each message, a run, by running `transact` on its connections, each as soon as the one before has
 * committed.
 */
export function answerRuns(transact: (tenantId: string) => Promise<unknown>): void {
	process.on("message", async (run: Run) => {
		const answer: RunAnswer = await drive(run, transact).then(
			(result) => ({ result }),
			(error) => ({ error: error instanceof Error ? error.message : String(error) }),
		);
		process.send?.(answer);
	});
	process.on("disconnect", () => process.exit(0));
}

let next = 0;

async function drive(
	{ tenants, connections, seconds }: Run,
	transact: (tenantId: string) => Promise<unknown>,
): Promise<Ran> {
	const times: number[] = [];
	const starts = performance.now();
	const ends = starts + seconds * 1_000;
	const work = async () => {
		for (let from = performance.now(); from < ends; ) {
			next += 1;
			await transact(tenants[next % tenants.length] ?? "");
			const now = performance.now();
			times.push(now - from);
			from = now;
		}
	};
	await Promise.all(Array.from({ length: connections }, work));
	return {
		transactions: times.length,
		...{ ms: performance.now() - starts, p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
	};
}
