/** Applies reports soon after they were stored, in the process that stored them. */
export type ReportApplier = {
	/** Reports were stored. */
	wake(): void;
	/** Waits for the running application. */
	stop(): Promise<void>;
};

/**
 * Creates the applier. One application runs at a time; reports that come meanwhile are applied by the next
 * one. An error is passed to `onError`: the schedule `reports.apply` tries again.
 */
export function createReportApplier({
	apply,
	onError,
}: {
	apply: (signal: AbortSignal) => Promise<void>;
	onError: (error: unknown) => void;
}): ReportApplier {
	const stopping = new AbortController();
	let running: Promise<void> | undefined;
	let isWoken = false;
	const run = async () => {
		while (isWoken && !stopping.signal.aborted) {
			isWoken = false;
			await apply(stopping.signal).catch(onError);
		}
		running = undefined;
	};
	return {
		wake() {
			isWoken = true;
			running ??= run();
		},
		async stop() {
			stopping.abort();
			await running;
		},
	};
}
