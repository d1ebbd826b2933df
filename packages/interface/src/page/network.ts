import { useSyncExternalStore } from "react";

const retryMilliseconds = 3_000;

/** Whether the browser has a network. True is not certain, false is. */
const isOnline = (): boolean => navigator.onLine;

function subscribe(listener: () => void): () => void {
	for (const kind of ["online", "offline"]) addEventListener(kind, listener);
	return () => {
		for (const kind of ["online", "offline"]) removeEventListener(kind, listener);
	};
}

/** Whether the browser has a network; the component is rendered again when it changes. */
export const useIsOnline = (): boolean => useSyncExternalStore(subscribe, isOnline, isOnline);

/** Resolves when the browser has a network. */
export function untilOnline(): Promise<void> {
	if (isOnline()) return Promise.resolve();
	return new Promise((resolve) => addEventListener("online", () => resolve(), { once: true }));
}

/**
 * Returns a function that loads something once there is a network. A file that cannot be loaded would make
 * the router load the whole page again.
 */
export const whenOnline =
	<T>(load: () => Promise<T>) =>
	(): Promise<T> =>
		untilOnline().then(load);

/** Repeats a request until it gets a response. `onUnreachable` is called each time that it gets none. */
export async function untilReachable<T>(request: () => Promise<T>, onUnreachable: () => unknown): Promise<T> {
	for (;;) {
		try {
			return await request();
		} catch (error) {
			if (!isUnreachable(error)) throw error;
		}
		await onUnreachable();
		await Promise.race([pause(), untilBackOnline()]);
	}
}

/** Whether `fetch` got no response: without a network, or too late. */
const isUnreachable = (error: unknown) =>
	error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");

const pause = () => new Promise((resolve) => setTimeout(resolve, retryMilliseconds));

const untilBackOnline = () => new Promise((resolve) => addEventListener("online", resolve, { once: true }));
