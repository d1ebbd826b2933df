/** What runs and how to stop it, the last started first; and the signal that everything under way heeds. */
export type Stopping = {
	signal: AbortSignal;
	/** Notes how to stop something that has just been started. */
	onStop: (stop: () => Promise<void>) => void;
	/**
	 * Stops everything noted, in reverse; a fault in one does not keep the others running. Returns the faults.
	 */
	stopAll: () => Promise<unknown[]>;
};

/**
 * Turns Ctrl-C, SIGTERM, a closed terminal and a reader that went away into one request to stop. npm passes
 * Ctrl-C on to us after the terminal already has, so every request after the first is ignored.
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

/** Resolves once stopping is asked for. */
export function untilAborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve();
	return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
