/** Waits for a time, or until the signal aborts. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal?.aborted) return resolve();
		const timer = setTimeout(end, ms);
		function end() {
			clearTimeout(timer);
			signal?.removeEventListener("abort", end);
			resolve();
		}
		signal?.addEventListener("abort", end);
	});
}
