export type BackgroundOptions = {
	/** Handles one batch. Checks `isStopped` between its items. */
	work: (isStopped: () => boolean) => Promise<void>;
	/** The interval at which a run starts without a `wake`. */
	intervalMs: number;
	onError: (error: unknown) => void;
};

/** Background work: one run at a time. */
export type Background = {
	/** Starts a run; during a run, another one after it. */
	wake(): void;
	/** Stops, and resolves when the run in progress has ended. */
	stop(): Promise<void>;
};

/** Runs `work` now, at every `wake` and at an interval, until it is stopped. */
export function runInBackground({ work, intervalMs, onError }: BackgroundOptions): Background {
	let isStopped = false;
	let isWanted = false;
	let running: Promise<void> | undefined;

	const runWanted = async () => {
		while (isWanted && !isStopped) {
			isWanted = false;
			await work(() => isStopped);
		}
	};
	const wake = () => {
		isWanted = true;
		if (isStopped) return;
		running ??= runWanted()
			.catch(onError)
			.finally(() => {
				running = undefined;
				if (isWanted) wake();
			});
	};
	const timer = setInterval(wake, intervalMs);
	wake();
	return {
		wake,
		async stop() {
			isStopped = true;
			clearInterval(timer);
			await running;
		},
	};
}
