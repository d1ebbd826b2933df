/**
 * The stop functions of everything that runs, the last started first, and the abort signal for work in
 * progress.
 */
export type Stopping = {
	signal: AbortSignal;
	/** Registers the stop function of something that has been started. */
	onStop: (stop: () => Promise<void>) => void;
	/** Calls all stop functions in reverse order, also after errors. Returns the errors. */
	stopAll: () => Promise<unknown[]>;
};

/**
 * Turns Ctrl-C, SIGTERM, a closed terminal and a closed pipe into one request to stop. npm forwards Ctrl-C
 * after the terminal has already sent it, so later requests are ignored.
 */
export function listenForStop(say: (line: string) => void): Stopping {
	const controller = new AbortController();
	const stops: Array<() => Promise<void>> = [];
	const ask = () => {
		if (controller.signal.aborted) return;
		controller.abort(new Error("stopped"));
		say("Stopping …");
	};
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
	for (const stream of [process.stdout, process.stderr])
		stream.on("error", () => controller.abort(new Error("stopped")));
	const stopAll = async () => {
		const faults: unknown[] = [];
		for (const stop of stops.splice(0).reverse()) await stop().catch((fault: unknown) => faults.push(fault));
		return faults;
	};
	return { signal: controller.signal, onStop: (stop) => stops.push(stop), stopAll };
}

/** Resolves when a stop is requested. */
export function untilAborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve();
	return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
